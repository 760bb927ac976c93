from .judge_report import JudgeReport as JudgeReport
from .judged_comparison import JudgedComparison as JudgedComparison
from .judged_comparison import compare_with_judge as compare_with_judge
from .judged_contests import JudgedContest as JudgedContest
from .judged_scores import JudgedScores as JudgedScores
from .label_budget import LabelBudget as LabelBudget
from .labels_to_draw import LabelSample as LabelSample
