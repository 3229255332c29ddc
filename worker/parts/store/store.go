// Package store is the part of a worker that keeps personal data for tools with
// [tool.NeedStore], in SQLite or PostgreSQL (store.url).
package store

import (
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/internal/toolbox/store"
)

// Part returns the part. It opens the database when the worker starts.
func Part() toolbox.Part { return store.Part() }
