from .table_description import SourceDescription as SourceDescription
from .table_description import TableDescription as TableDescription
from .table_description import describe as describe
