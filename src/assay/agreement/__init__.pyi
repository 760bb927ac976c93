from .description import SourceDescription as SourceDescription
from .description import TableDescription as TableDescription
from .description import describe as describe
from .report import Agreement as Agreement
from .report import Coefficient as Coefficient
from .report import measure_agreement as measure_agreement
