from .report import Agreement as Agreement
from .report import Coefficient as Coefficient
from .report import measure_agreement as measure_agreement
from .table_description import SourceDescription as SourceDescription
from .table_description import TableDescription as TableDescription
from .table_description import describe as describe
