package tooltest

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/tool"
)

// Schedules is the port of scheduled tasks for tests: it runs none. Its tools are those of
// the sets.
type Schedules struct {
	Sets []*tool.Set

	mu    sync.Mutex
	looks []Look
}

var _ tool.Schedules = (*Schedules)(nil)

// Look is when a task is to be looked at.
type Look struct {
	Task string
	At   time.Time
}

// Check implements [tool.Schedules].
func (s *Schedules) Check(_ context.Context, name string, args json.RawMessage) (*tool.Definition, error) {
	for _, set := range s.Sets {
		for _, tl := range set.Tools() {
			if tl.Name != name {
				continue
			}
			form, err := schema.Compile(tl.Parameters)
			if err != nil {
				return nil, err
			}
			if _, err := form.Prepare(args); err != nil {
				return nil, tool.Fail(tool.ValidationError, "%s", err)
			}
			return &tl.Definition, nil
		}
	}
	return nil, tool.Fail(tool.ToolNotFound, "Tool '%s' not found", name)
}

// LookAt implements [tool.Schedules].
func (s *Schedules) LookAt(_ context.Context, id string, at time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looks = append(s.looks, Look{id, at})
	return nil
}

// Looks returns the times so far, in the order of the requests.
func (s *Schedules) Looks() []Look {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Look(nil), s.looks...)
}
