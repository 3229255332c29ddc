package personaldata

import (
	"context"
	"errors"
	"io"

	"github.com/helve-dev/helve/internal/backend/store"
	"github.com/helve-dev/helve/tool"
)

// importBatch is the number of items that are stored in one transaction.
const importBatch = 500

// Import reads a file and stores its items for a person. After an error, the items before
// it are stored; an import may be repeated.
func Import(ctx context.Context, s *store.Store, tenant, user, format string, r io.Reader, replace bool) (sum store.Imported, err error) {
	if err := Check(format); err != nil {
		return sum, tool.Fail(tool.ValidationError, "%s", err)
	}
	var batch []*store.Item
	var failed error // of the store, which is no fault of the file
	flush := func() error {
		done, err := s.Import(ctx, tenant, user, batch, replace)
		batch, failed = nil, err
		sum = store.Imported{Added: sum.Added + done.Added, Replaced: sum.Replaced + done.Replaced, Kept: sum.Kept + done.Kept}
		return err
	}
	err = Read(format, r, func(item *store.Item) error {
		if batch = append(batch, item); len(batch) < importBatch {
			return nil
		}
		return flush()
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
	return sum, flush()
}
