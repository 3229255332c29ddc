package program

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	jsonv "github.com/go-json-experiment/json"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/programs"
	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/tool"
)

// kept answers with the durable tool that a program began with, for a worker that may have another
// version of it, or none. The answer is empty for a program that has not begun.
func (s *Service) kept(ctx context.Context, r peer.ProgramRequest) (peer.ProgramAnswer, error) {
	p, _, err := s.Store.Read(ctx, programs.Key{Tenant: r.Tenant, CallID: r.CallID})
	if err != nil || p == nil || p.Key != r.Key {
		return peer.ProgramAnswer{}, err
	}
	return savedAnswer(p)
}

func savedAnswer(p *durable.Program) (a peer.ProgramAnswer, err error) {
	if p.Saved != nil {
		a.Saved, err = jsonv.Marshal(p.Saved, lenient)
	}
	return a, err
}

// keep stores the durable tool that a first turn begins with, before its code runs. The first one
// stays: another turn, of a worker that has another version, runs it, too.
func (s *Service) keep(
	ctx context.Context, k programs.Key, r peer.ProgramRequest, p *durable.Program, revision uint64,
) (*durable.Program, uint64, error) {
	for r.Saved != nil && p != nil && p.Key == r.Key && p.State != durable.Done && !p.Cancelled && p.Saved == nil {
		saved, refused := savedOf(p, r.Saved)
		if refused != nil {
			return nil, 0, refused
		}
		p.Saved = saved
		if !slices.ContainsFunc(p.Within, func(list []string) bool { return slices.Equal(list, saved.Definition.Tools) }) {
			p.Within = append(p.Within, append([]string{}, saved.Definition.Tools...)) // the dispatcher knew another version
		}
		err := s.Store.Change(ctx, k, p, revision)
		if err != nil && !errors.Is(err, natsio.ErrExists) {
			return nil, 0, err
		}
		if p, revision, err = s.readFor(ctx, k, r.Wake); err != nil {
			return nil, 0, err
		}
	}
	return p, revision, nil
}

// savedOf returns the durable tool of a request, which must be the tool of the call.
func savedOf(p *durable.Program, raw json.RawMessage) (*durable.Saved, *tool.Error) {
	saved := new(durable.Saved)
	name, _ := given(p.Call)
	if err := jsonv.Unmarshal(raw, saved, lenient); err != nil || saved.Code == "" || len(saved.Code) > durable.MaxCode ||
		saved.Definition.Name != name {
		return nil, tool.Fail(tool.ExecutionError, "the worker began the program with a tool that is not '%.64s'", name).Because(err)
	}
	return saved, nil
}
