"""The frame: what every genre is made of.

A puzzle has decision variables in one canonical order, each with a finite domain; an answer is a
tuple of values in that order. Engines, counts, closures and pictures hang on that alone.

What people write on the board is a filling: one entry for each cell or border, None where nothing
is written. `fill` turns an answer into a filling, and `violations` judges fillings.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import contains
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self

from hashigo.models.grid import Grid

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, IntVar

    from hashigo.models.cnf import Literals

Answer = tuple[int, ...]
Filling = tuple[int | None, ...]
Clause = list[int]
Left = list[list[int]]  # the values that are left of each decision variable, in domain order
Json = Any


@dataclass(frozen=True)
class Violation:
    """A broken rule: the code of FORMATS (or of ours, where puzz.link has none), and a sentence.

    `house` marks what only the puzz.link checker refuses; the rules of the puzzle do not.
    """

    code: str
    text: str
    house: bool = False


MarkKind = Literal[
    "given", "number", "open", "clue", "outside", "down-right",
    "white", "black", "unknown", "wall", "shade", "block",
]  # fmt: skip


class Mark(NamedTuple):
    """Something to draw at a half-step place (see grid): what it is, not how it looks."""

    kind: MarkKind
    y: int
    x: int
    text: str = ""


class Sheet(NamedTuple):
    """A puzzle, and what somebody has written on it, if anything."""

    puzzle: "Puzzle"
    filling: Filling | None = None


class Puzzle(ABC):
    """A board of one genre: frozen, hashable, and valid from the moment that it exists."""

    name: ClassVar[str]
    LARGEST: ClassVar[int]  # side that the engines have memory for
    rows: int
    cols: int

    @property
    def grid(self) -> Grid:
        """The cells and borders of the board."""
        return Grid(self.rows, self.cols)

    # Variables and answers

    @abstractmethod
    def domains(self) -> Sequence[range]:
        """The domain of each decision variable, in canonical order."""

    @abstractmethod
    def variable_name(self, index: int) -> str:
        """Name for people of a decision variable."""

    def fill(self, values: Sequence[int | None]) -> Filling:
        """What a solver writes on the board who has these values; None where one is open."""
        return tuple(values)

    def blank(self) -> Filling:
        """Nothing written."""
        return self.fill([None] * len(self.domains()))

    @abstractmethod
    def violations(self, filling: Filling) -> Iterator[Violation]:
        """The rules that a filling breaks, read plainly, in the order of FORMATS section 8."""

    def accepts(self, answer: Answer) -> bool:
        """Whether these values, one per variable, are an answer by the rules of the puzzle."""
        domains = self.domains()
        return (
            len(answer) == len(domains)
            and all(map(contains, domains, answer))
            and all(violation.house for violation in self.violations(self.fill(answer)))
        )

    @abstractmethod
    def weaker(self) -> Iterator[Self]:
        """The puzzles that hide one clue of this one."""

    @abstractmethod
    def transpose(self) -> Self:
        """The same puzzle with rows and columns exchanged."""

    @abstractmethod
    def flip(self) -> Self:
        """The same puzzle upside down."""

    def symmetries(self) -> Iterator[Self]:
        """The eight boards that rotation and reflection make of this one, itself first."""
        board = self
        for _ in range(4):
            yield board
            yield (board := board.flip())
            board = board.transpose()

    # Encodings

    @abstractmethod
    def post(self, model: "CpModel", x: Sequence["IntVar"]) -> None:
        """Post the rules and clues as a CP-SAT model over the decision variables."""

    @abstractmethod
    def shape(self) -> Hashable:
        """What the boards that share rule clauses have in common."""

    @abstractmethod
    def rule_keys(self, strong: bool = False) -> Sequence[Hashable]:
        """Keys of the clause fragments that every board of this shape has."""

    @abstractmethod
    def clue_keys(self, strong: bool = False) -> Sequence[Hashable]:
        """Keys of the clause fragments that the clues of this board add."""

    @abstractmethod
    def fragment(self, key: Any, x: "Literals") -> Iterable[Clause]:
        """The clauses of one fragment; they depend on the shape and the key alone.

        A key is a tuple; its first entry, a word, says what kind of fragment it is.
        """

    @abstractmethod
    def group_name(self, key: Any) -> str:
        """Name for people of the rule or clue that a fragment of the plain form belongs to.

        Fragments of one name are one rule. Empty where the fragment is no rule of the puzzle, such
        as that a cell has one value.
        """

    # Formats

    @classmethod
    @abstractmethod
    def from_url_body(cls, rows: int, cols: int, body: str) -> Self:
        """Read the body of a puzz.link URL."""

    @abstractmethod
    def url_body(self) -> str:
        """The body of the puzz.link URL.

        Raises:
            PuzzleError: the board has something that URLs cannot say.
        """

    @classmethod
    @abstractmethod
    def from_file(cls, rows: int, cols: int, lines: Sequence[str]) -> tuple[Self, Filling | None]:
        """Read the lines after the header of a pzprv3 file: the puzzle, and what is written."""

    @abstractmethod
    def file_lines(self, filling: Filling | None) -> Iterator[str]:
        """The lines after the header of a pzprv3 file.

        Raises:
            PuzzleError: the board has something that these files cannot say.
        """

    @classmethod
    @abstractmethod
    def from_text(
        cls, rows: int, cols: int, options: Mapping[str, str], lines: Sequence[Sequence[str]]
    ) -> Self:
        """Read the readable text form: header options, and the tokens of each line after it."""

    @abstractmethod
    def text_options(self) -> Mapping[str, str]:
        """Options for the header of the text form."""

    @abstractmethod
    def text_lines(self) -> Iterator[str]:
        """The lines after the header of the text form."""

    @classmethod
    @abstractmethod
    def from_json(cls, rows: int, cols: int, data: Mapping[str, Json]) -> Self:
        """Read the fields of a JSON object."""

    @abstractmethod
    def json_fields(self) -> Mapping[str, Json]:
        """The fields of a JSON object, other than genre, rows and cols."""

    @abstractmethod
    def filling_json(self, filling: Filling) -> Json:
        """A filling as plain data, in the shape of FORMATS section 10."""

    @abstractmethod
    def read_filling(self, data: Json) -> Filling:
        """The inverse of `filling_json`."""

    @abstractmethod
    def answer_line(self, answer: Answer) -> str:
        """An answer in one short line."""

    # Pictures

    @abstractmethod
    def marks(self, filling: Filling | None = None) -> Iterator[Mark]:
        """What to draw, the board first and then what is written on it."""

    def draw(self, filling: Filling | None = None) -> str:
        """The board in plain text."""
        from hashigo.models.draw import text

        return text(self, filling)

    def __str__(self) -> str:
        """The board in plain text."""
        return self.draw()

    def _repr_svg_(self) -> str:
        """The board as a picture, for notebooks."""
        from hashigo.models.draw import svg

        return svg(self)
