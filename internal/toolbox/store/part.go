// Package store opens the store of personal data for a worker and commits the changes of
// its calls.
//
// It promises that the store of a call is bound to the call's tenant and user and to its
// id. It does not decide when changes are committed; internal/engine does.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/ports/store"
	"github.com/helve-dev/helve/internal/ports/workspace"
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/tool"
)

// Part returns the part.
func Part() toolbox.Part {
	return toolbox.Part{Name: toolbox.Store, Ports: tool.NeedStore, Open: open}
}

func open(cfg config.Config, _ *workspace.Workspaces) (toolbox.Ports, error) {
	dir, err := filepath.Abs(cfg.Data) // SQLite gets a URL, which cannot have a relative path
	if err != nil {
		return nil, err
	}
	s, err := store.Open(context.Background(), store.Options{
		URL: cfg.Store.URL, Dir: dir, Sync: cfg.Durability.Profile == "power",
		MaxDocuments: int64(cfg.Store.MaxItems), MaxBytes: int64(cfg.Store.MaxBytes),
		// As long as the queue can deliver a call again.
		Keep: cfg.Streams.CallsMaxAge + cfg.Consent.TTL + cfg.Streams.ResultsMaxAge,
	})
	if err != nil {
		return nil, err
	}
	return ports{s}, nil
}

// ports implements [toolbox.Ports], [toolbox.Committer], [toolbox.Checker] and [toolbox.Measured].
type ports struct{ store *store.Store }

// Fill implements [toolbox.Ports].
func (p ports) Fill(call *tool.Call, _ []tool.Scopes) error {
	call.Store = &work{p.store.For(call.Tenant, call.User, call.ID, call.Attempt)}
	return nil
}

// Committed implements [toolbox.Committer].
func (p ports) Committed(ctx context.Context, call *tool.Call) (*engine.Committed, error) {
	found, err := p.store.Stored(ctx, call.Tenant, call.User, call.ID)
	return committed(found), err
}

// Refuse implements [toolbox.Committer].
func (p ports) Refuse(ctx context.Context, call *tool.Call, reason *tool.Error) (*engine.Committed, error) {
	first, err := p.store.Refuse(ctx, call.Tenant, call.User, call.ID, call.Attempt, reason)
	return committed(first), err
}

// Check implements [toolbox.Checker].
func (p ports) Check(ctx context.Context) error {
	if err := p.store.Check(ctx); err != nil {
		return fmt.Errorf("the store of personal data does not answer: %w", err)
	}
	return nil
}

// Stats implements [toolbox.Measured].
func (p ports) Stats() []sql.DBStats { return p.store.Stats() }

// Close implements [toolbox.Ports].
func (p ports) Close() { _ = p.store.Close() }

func committed(found *store.Stored) *engine.Committed {
	if found == nil {
		return nil
	}
	return &engine.Committed{Result: found.Result, Err: found.Err, Attempt: found.Attempt}
}

// work is a unit of the store as the engine commits it.
type work struct{ *store.Unit }

var _ engine.Work = (*work)(nil)

// Commit implements [engine.Work].
func (w *work) Commit(ctx context.Context, res tool.Result) (*engine.Committed, error) {
	other, err := w.Unit.Commit(ctx, res)
	switch {
	case errors.Is(err, store.ErrStale):
		err = fmt.Errorf("%w: %w", engine.ErrStale, err)
	case errors.Is(err, store.ErrUncertain):
		err = fmt.Errorf("%w: %w", engine.ErrUncertain, err)
	}
	return committed(other), err
}
