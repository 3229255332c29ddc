package engine

import (
	"context"
	"sync"

	"github.com/helve-dev/helve/internal/lib/redact"
	"github.com/helve-dev/helve/tool"
)

// seen are the secrets of a call that its tool has read. What a provider answers may repeat
// them, and ends in the message and the cause of an error.
type seen struct {
	mu      sync.Mutex
	secrets redact.Secrets
}

func (s *seen) note(entries ...tool.ServiceEntry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range entries {
		s.secrets.Add(e.Data)
	}
}

// hide returns an error without them.
func (s *seen) hide(e *tool.Error) *tool.Error {
	if e == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out := *e
	out.Msg, out.Cause = s.secrets.Text(e.Msg), s.secrets.Last(e.Cause)
	return &out
}

// watched is the port of secrets of a call. It notes what the tool reads.
type watched struct {
	tool.Secrets

	seen *seen
}

// watch returns the port with which the tool of a call reads secrets; nil for none.
func (j *Job) watch(port tool.Secrets) tool.Secrets {
	if port == nil {
		return nil
	}
	return watched{port, &j.seen}
}

// Entries implements [tool.Secrets].
func (w watched) Entries(ctx context.Context, service string) ([]tool.ServiceEntry, error) {
	entries, err := w.Secrets.Entries(ctx, service)
	w.seen.note(entries...)
	return entries, err
}

// Refresh implements [tool.Refresher], for a port that does.
func (w watched) Refresh(ctx context.Context, service string, refused tool.ServiceEntry) (tool.ServiceEntry, bool, error) {
	entry, ok, err := tool.RefreshEntry(ctx, w.Secrets, service, refused)
	if ok {
		w.seen.note(entry)
	}
	return entry, ok, err
}
