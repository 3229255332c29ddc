package worker

import (
	"context"

	"github.com/helve-dev/helve/internal/backend/documents"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/tool"
)

// documentStore keeps the documents of users.
type documentStore interface {
	For(tenant, user string) (tool.Documents, error)
}

// openDocuments opens the store over a bus that is prepared.
func openDocuments(ctx context.Context, b *bus.Bus) (documentStore, error) {
	bucket, err := b.Bucket(ctx, bus.BucketDocuments)
	if err != nil {
		return nil, err
	}
	return documents.New(bucket), nil
}
