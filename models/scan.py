"""URL bodies of puzz.link, character by character: what several genres pack alike."""

from collections.abc import Sequence

from hashigo.models.reading import require, warn

HEX = "0123456789abcdefABCDEF"
_BASE32 = "0123456789abcdefghijklmnopqrstuv"


class Scan:
    """Reads a body from the left, and says where it is not what was expected."""

    def __init__(self, name: str, body: str) -> None:
        """Start before the first character.

        Raises:
            PuzzleError: the body is empty.
        """
        require(bool(body), f"{name} body: empty; expected the board after columns and rows")
        self._name, self._body, self._at = name, body, 0

    def next(self, known: str, what: str) -> str:
        """The next character, which must be one of `known`; `what` tells people what that is."""
        at = self._at
        require(
            at < len(self._body),
            f"{self._name} body: ends after character {at}; expected {what}",
        )
        self._at += 1
        self.require(self._body[at] in known, what)
        return self._body[at]

    def require(self, condition: bool, what: str) -> None:
        """Refuse the character last read unless the condition holds."""
        char = self._body[self._at - 1]
        require(condition, f"{self._name} body, character {self._at} ({char!r}): expected {what}")

    def back(self) -> None:
        """Read the last character again."""
        self._at -= 1

    def bits(self, count: int) -> list[bool]:
        """This many bits in base 32, five to a character, the first the most significant."""
        found: list[bool] = []
        while len(found) < count:
            value = int(self.next(_BASE32 + _BASE32.upper(), "borders, one of 0-9 or a-v"), 32)
            found += (bool(value >> k & 1) for k in range(4, -1, -1))
        if any(found[count:]):
            warn(f"{self._name} body, character {self._at}: its unused bits are not 0")
        return found[:count]

    def hex1(self, what: str) -> int | None:
        """One hex digit, or a dot for a blank."""
        char = self.next(HEX + ".", f"a hex digit {what}")
        return None if char == "." else int(char, 16)

    def hex2(self, what: str) -> int:
        """Two hex digits."""
        high, low = (self.next(HEX, f"two hex digits {what}") for _ in range(2))
        if high == "0":
            warn(f"{self._name} body, character {self._at}: two hex digits where one would do")
        return int(high + low, 16)

    def end(self) -> None:
        """There must be nothing left."""
        left = len(self._body) - self._at
        require(
            not left,
            f"{self._name} body, character {self._at + 1}: {left} more than expected; the board "
            f"takes {self._at} characters",
        )


def base32(bits: Sequence[bool]) -> str:
    """The inverse of `Scan.bits`."""
    padded = [*bits, *[False] * (-len(bits) % 5)]
    groups = (padded[k : k + 5] for k in range(0, len(padded), 5))
    return "".join(_BASE32[sum(bit << 4 - k for k, bit in enumerate(group))] for group in groups)


def hex_code(value: int | None) -> str:
    """A number in hex digits, or a dot for a blank."""
    return "." if value is None else f"{value:x}"
