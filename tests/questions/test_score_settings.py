import pytest

from howsure.errors import ArgumentError, DataError
from howsure.questions.score_settings import read_nlpstattest


@pytest.fixture
def config(tmp_path):
    """Write a configuration file."""

    def write(text):
        path = tmp_path / "config.yml"
        path.write_text(text)
        return path

    return write


def test_every_setting_of_its_configuration_file(config):
    path = config(
        """
        # user's config file
        eval_unit_size: 5
        eval_unit_met: median
        shuffled: True
        random_seed: 3
        normal_test_alpha: 0.1
        sig_test_alpha: 0.01
        sig_boot_perm_B: 500
        eff_size_ind: wilcoxonr
        power_alpha: 0.02
        power_method: montecarlo
        power_dist_name: normal
        power_num_of_subsample: 35
        power_B: 200
        fig_output_dir: figures
        MAX_power_B: 500
        mu: 0
        """.replace("\n        ", "\n")
    )
    assert read_nlpstattest(path) == {
        "unit_size": 5,
        "unit_statistic": "median",
        "shuffle": 3,
        "normality_alpha": 0.1,
        "alpha": 0.01,
        "n_resamples": 500,
        "effect_size": ["wilcoxon-r"],
        "power_alpha": 0.02,
        "power_method": "normal",
        "steps": 35,
        "n_simulations": 200,
        "delta": 0.0,
    }


def test_lines_are_shuffled_only_where_it_says_so(config):
    assert read_nlpstattest(config("shuffled: False\nrandom_seed: 3\n")) == {}
    assert read_nlpstattest(config("shuffle_seed: ''\n")) == {}
    assert read_nlpstattest(config("shuffle_seed: '7'\n")) == {"shuffle": 7}


def test_the_session_that_its_web_page_saves(shared):
    path = shared / "nlpstattest" / "config_cookies.yaml"
    if not path.is_file():
        pytest.skip("NLPStatTest's saved session is not here")
    assert read_nlpstattest(path) == {
        "alternative": "two-sided",
        "effect_alpha": 0.05,
        "unit_size": 1,
        "unit_statistic": "mean",
        "file": str(path.parent / "data-file.txt"),
        "delta": 0.0,
        "steps": 20,
        "power_method": "bootstrap",
        "n_resamples": 200,
        "alpha": 0.05,
        "test": "t",
    }


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (
            "eval_unit_sise: 5\n",
            ArgumentError,
            "'eval_unit_sise' is not a setting of NLPStatTest. Did you mean",
        ),
        ("eval_unit_size: five\n", ArgumentError, "eval_unit_size cannot be 'five'"),
        ("eval_unit_size: 2.5\n", ArgumentError, "eval_unit_size cannot be 2.5"),
        ("sig_test_name: welch\n", ArgumentError, "sig_test_name cannot be 'welch'"),
        ("mu: 0\nmu: 1\n", DataError, "sets 'mu' twice"),
        ("- 1\n- 2\n", DataError, "must hold settings"),
        ("mu: [\n", DataError, "is not a readable YAML file"),
        ("mu: !!python/object/apply:os.getcwd []\n", DataError, "is not a readable YAML file"),
        ("\x00", DataError, "is not a readable YAML file"),
        ("a: &a [1,1]\nb: &b [*a,*a]\n", ArgumentError, "'a' is not a setting"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else "",
)
def test_bad_files_get_one_line(config, text, error, message):
    with pytest.raises(error, match=message) as found:
        read_nlpstattest(config(text))
    assert "\n" not in str(found.value)


def test_a_missing_file():
    with pytest.raises(DataError, match="there is no file"):
        read_nlpstattest("/nowhere/config.yml")


def test_an_empty_file_sets_nothing(config):
    assert read_nlpstattest(config("# nothing\n")) == {}
