"""Published claims as data, and per genre what no table of random boards can settle."""
