"""A table of rows, which becomes a data frame where pandas is installed."""
# SPDX-License-Identifier: Apache-2.0


class Rows(list):
    """A list of dicts that have the same keys: one for each layer, pass and op."""

    def frame(self):
        """The rows as a pandas.DataFrame."""
        try:
            import pandas
        except ImportError as missing:
            raise ImportError("a data frame needs pandas: pip install pandas") from missing
        return pandas.DataFrame(self)

    def sum_by(self, key, of):
        """Sums of a column by another one, the largest first: {"conv": 0.0123, ...}."""
        sums = {}
        for row in self:
            if row[of] is not None:
                sums[row[key]] = sums.get(row[key], 0.0) + row[of]
        return dict(sorted(sums.items(), key=lambda item: -item[1]))
