"""The file that the program reads has what the contract lists, and nothing else."""
import json
import os
import tempfile

from gait_hook import contract
from gait_hook.recording.cycle import Cycle
from gait_hook.recording.result import Result


def values_of(names):
    return {value for name, value in vars(names).items() if not name.startswith("_")}


def the_file_has_what_the_contract_lists():
    with tempfile.TemporaryDirectory() as folder:
        result = Result(folder)
        result.write(Cycle())
        with open(os.path.join(folder, "process-%d.json" % os.getpid())) as f:
            written = json.load(f)
    assert set(written) == values_of(contract.File), set(written) ^ values_of(contract.File)
    assert written[contract.File.VERSION] == contract.VERSION
    assert written[contract.File.STATE] in values_of(contract.State)
    assert set(written[contract.File.FACTS]) <= values_of(contract.Fact), written[contract.File.FACTS]
