package csvtab

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// Rows returns the rows of delimited text as they are, until they have as many cells as
// most says; cut is set if there are more. A delimiter is one character, or \t.
func Rows(ctx context.Context, text, delimiter string, most int) (rows [][]string, cut bool, err error) {
	if delimiter, err = delimiterOf(delimiter); err != nil {
		return nil, false, err
	}
	in := newReader(ctx, strings.NewReader(text), delimiter, true)
	for cells := 0; ; {
		row, err := in.next()
		if errors.Is(err, io.EOF) {
			return rows, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		if cells += len(row); cells > most {
			return rows, true, nil
		}
		if len(row) > MaxColumns {
			return nil, false, tool.Fail(tool.ValidationError, "line %d has %d values, more than the %d that are read",
				in.line, len(row), MaxColumns)
		}
		values := make([]string, len(row))
		for i, value := range row {
			values[i] = string(value)
		}
		rows = append(rows, values)
	}
}
