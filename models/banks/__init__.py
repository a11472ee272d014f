"""Shipped boards, a JSON line for each: `hashigo bank`. Made from plan.toml by `make banks`."""
