"""Programs that a script calls: none is run; each prints one number, as a count of GPUs or of lines would be, or a folder."""

NUMBER = "8"
ANSWERS = {
    "BASH_FUNC_command_not_found_handle%%": f"() {{ if [ $1 = dirname ]; then echo .; else echo {NUMBER}; fi; }}"
}
"""An environment in which bash has such an answer for each program that it does not find."""
