package personaldata

import (
	"context"
	"errors"
	"io"

	"github.com/helve-dev/helve/internal/ports/store"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

const (
	// importBatch is the number of items that are stored in one transaction.
	importBatch = 500
	// maxProblems bounds the problems of a file that are listed.
	maxProblems = 100
)

// Import reads a file and stores its items for a person. An item that cannot be read is left
// out and listed. After an error, the items before it are stored; an import may be repeated.
func Import(
	ctx context.Context, s *store.Store, tenant, user, format string, r io.Reader, replace bool,
) (sum protocol.DataImported, err error) {
	if err := Check(format); err != nil {
		return sum, tool.Fail(tool.ValidationError, "%s", err)
	}
	var batch []*store.Item
	var failed error // of the store, which is no fault of the file
	flush := func() error {
		done, err := s.Import(ctx, tenant, user, batch, replace)
		batch, failed = nil, err
		sum.Added, sum.Replaced, sum.Kept = sum.Added+done.Added, sum.Replaced+done.Replaced, sum.Kept+done.Kept
		return err
	}
	read := 0
	err = Read(format, r, func(item *store.Item) error {
		read++
		if batch = append(batch, item); len(batch) < importBatch {
			return nil
		}
		return flush()
	}, func(p Problem) {
		if !p.Stored {
			sum.Skipped++
		}
		if len(sum.Problems) < maxProblems {
			sum.Problems = append(sum.Problems, p)
		}
	})
	switch {
	case failed != nil:
		return sum, failed
	case err != nil:
		text := err.Error() // of the file: which line, and what is wrong with it
		if e, ok := errors.AsType[*tool.Error](err); ok {
			text = e.Msg
		}
		return sum, tool.Fail(tool.ValidationError, "%s; %d items before it were stored", text, sum.Added+sum.Replaced).Because(err)
	}
	if err := flush(); err != nil {
		return sum, err
	}
	if read == 0 && sum.Skipped > 0 {
		p := sum.Problems[0]
		return sum, tool.Fail(tool.ValidationError,
			"the file has no item that can be imported, and %d that cannot; the first one, in line %d: %s", sum.Skipped, p.Line, p.Reason)
	}
	return sum, nil
}
