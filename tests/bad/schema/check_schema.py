"""check_schema.py - the nets' JSON Schema accepts the good nets and refuses the broken ones."""
# SPDX-License-Identifier: Apache-2.0
# Usage: check_schema.py SOURCE BUILD. Exit 77: the jsonschema package is missing or too old.

import json
import pathlib
import re
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("skipped: python3-jsonschema 4 is not here")
    sys.exit(77)

# Faults of the whole net, or of the text, that a schema cannot see; nets/README.md marks them.
BEYOND = """
at_all_of_unsplit at_self_outside at_split_out_of_range
attention_heads_of_channels attention_keys_channels attention_kv_heads_uneven attention_of_images
attention_places
attention_two_parents attention_values bias_other_length block_name_clash
block_parent_outside concat_dim_of_flat concat_dim_of_sequence concat_dims concat_ranks conv_dilated_larger_than_input
conv_larger_than_input conv_on_flat_input conv_on_sequence cycle cycle_of_one deconv_channels_in
deconv_channels_out deconv_output_size duplicate_key duplicate_layer duplicate_top_level_key
elementwise_one_parent elementwise_shapes endpoint_unknown groups_not_dividing no_input
outputs_overflow parent_case parent_unknown pool_larger_than_input pool_on_flat_input
pool_window_in_padding reshape_count shape_conv_channels softmax_classes softmax_of_tokens split_parent_without_at
splits_more_than_outputs splits_without_all too_many_tokens two_batch_sizes unreachable unreachable_block
unreachable_ring upsampling_overflow
""".split()

# Files that are no JSON at all.
NO_JSON = """
empty_file nested_too_deep not_json not_utf8 trailing_comma trailing_text truncated
""".split()


def main(source, build):
    schema = json.loads((source / "nets/schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    faults = []

    good = sorted((source / "nets").glob("*.json"))
    good += sorted((source / "tests/nets_extra").glob("*.json"))
    good.remove(source / "nets/schema.json")
    for path in good:
        for error in validator.iter_errors(json.loads(path.read_text())):
            faults.append(f"{path}: refused: {error.message[:200]}")

    readme = (source / "nets/README.md").read_text()
    example = re.search(r"```json\n(.*?)```", readme, re.S).group(1)
    if not validator.is_valid(json.loads(example)):
        faults.append("nets/README.md: its first example is refused")

    refused = 0
    bad = {path.stem: path for path in (build / "tests/bad/nets").glob("*.json")}
    for name in sorted(set(BEYOND + NO_JSON) - set(bad)):
        faults.append(f"tests/bad/nets.txt: no {name}.json")
    for name, path in sorted(bad.items()):
        if name in NO_JSON:
            continue
        accepted = validator.is_valid(json.loads(path.read_text()))
        refused += not accepted
        if accepted != (name in BEYOND):
            verdict = "accepted" if accepted else "refused"
            faults.append(f"{path.name}: {verdict}, against what is listed here")

    if len(good) < 11 or refused < 10:
        faults.append(f"only {len(good)} good nets and {refused} refused ones")
    print("\n".join(faults) or f"{len(good)} good nets accepted, {refused} broken ones refused")
    return 1 if faults else 0


sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
