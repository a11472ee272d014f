"""What a puzzle is: rules, encodings, formats and pictures of each genre."""

from hashigo.models.kropki import Kropki
from hashigo.models.nawabari import Nawabari
from hashigo.models.puzzle import Puzzle
from hashigo.models.tilepaint import Tilepaint

# The one place where genres are listed.
GENRES: tuple[type[Puzzle], ...] = (Kropki, Tilepaint, Nawabari)
