from .errors import ArgumentError as ArgumentError
from .errors import AssayError as AssayError
from .errors import AssayWarning as AssayWarning
from .errors import DataError as DataError
from .responses import Contest as Contest
from .responses import Responses as Responses
from .responses import ResponseTable as ResponseTable
from .scales import Scale as Scale
