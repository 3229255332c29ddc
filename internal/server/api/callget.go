package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/protocol"
)

// The members that include names. With result a call is answered after its result has expired,
// too, as far as it is kept.
const (
	includeArguments = "arguments"
	includeSteps     = "steps"
	includeResult    = "result"
)

// Includes returns the values of include.
func Includes() []string {
	const both = includeArguments + "," + includeSteps
	return []string{
		includeArguments, includeSteps, includeResult, both, includeArguments + "," + includeResult, includeSteps + "," + includeResult,
		both + "," + includeResult,
	}
}

// KeptCalls finds calls whose results have expired.
type KeptCalls interface {
	// Get returns a call that has ended, nil if none is known that the caller may see.
	Get(ctx context.Context, tenant, callID string) (*KeptCall, error)
}

// KeptCall is a call whose result has expired.
type KeptCall struct {
	Element, Arguments json.RawMessage
	Detail             protocol.KeptDetail
}

func (s *Service) getCall(ctx context.Context, in Input) (Reply, error) {
	include := in.Params["include"]
	if include != "" && !slices.Contains(Includes(), include) {
		return Reply{}, notOneOf("include", include, Includes())
	}
	members := strings.Split(include, ",")
	reply, err := oneCall(ctx, in, s.Calls.Get)
	var kept *KeptCall
	if e, unknown := errors.AsType[*dispatch.Error](err); unknown && e.Kind == dispatch.NotFound && slices.Contains(members, includeResult) {
		if kept, reply, err = s.keptCall(ctx, in, err); err != nil {
			return Reply{}, err
		}
	}
	if err != nil {
		return reply, err
	}
	if slices.Contains(members, includeArguments) {
		args, err := s.arguments(ctx, in, kept)
		if err != nil {
			return Reply{}, err
		}
		reply.Body = withMember(reply.Body, includeArguments, args)
	}
	if slices.Contains(members, includeSteps) {
		steps, err := s.steps(ctx, in.Tenant, in.Params["call_id"])
		if err != nil {
			return Reply{}, err
		}
		reply.Body = withMember(reply.Body, includeSteps, steps)
	}
	return reply, nil
}

// keptCall returns a call whose result has expired, and the error unknown if none is kept.
func (s *Service) keptCall(ctx context.Context, in Input, unknown error) (*KeptCall, Reply, error) {
	if s.Kept == nil {
		return nil, Reply{}, unknown
	}
	kept, err := s.Kept.Get(ctx, in.Tenant, in.Params["call_id"])
	if err != nil {
		return nil, Reply{}, err
	}
	if kept == nil {
		return nil, Reply{}, unknown
	}
	detail, err := json.Marshal(kept.Detail)
	return kept, Reply{Body: withMember(kept.Element, "kept", detail)}, err
}

func (s *Service) arguments(ctx context.Context, in Input, kept *KeptCall) (json.RawMessage, error) {
	if kept != nil {
		return kept.Arguments, nil
	}
	return s.Calls.Arguments(ctx, in.Tenant, in.Params["call_id"])
}

// withMember returns the element with a last member, unless that is empty. It copies: others
// may hold the element.
func withMember(element []byte, name string, value []byte) []byte {
	end := bytes.LastIndexByte(element, '}')
	if len(value) == 0 || end < 0 {
		return element
	}
	return slices.Concat(element[:end], []byte(`,"`+name+`":`), value, []byte("}"))
}

const (
	// stepsWait bounds the time for which an answer waits for the index of the trail.
	stepsWait = time.Second
	// stepRecords is the maximum number of records from which steps are made.
	stepRecords = 100
)

// steps returns the known steps of a call that the caller may see, as JSON. The index of the
// trail may be away: then the steps of the trail are missing, and the call is still shown.
func (s *Service) steps(ctx context.Context, tenant, callID string) (json.RawMessage, error) {
	accepted, err := s.Calls.AcceptedAt(ctx, tenant, callID)
	if err != nil {
		return nil, err
	}
	var records []protocol.AuditRecord
	if s.Gate.Audit != nil {
		bounded, cancel := context.WithTimeout(ctx, stepsWait)
		defer cancel()
		if page, err := s.Gate.Audit.Query(bounded, audit.Query{Tenant: tenant, CallID: callID, Limit: stepRecords}); err == nil {
			records = page.Records
		}
	}
	list := stepsOf(accepted, records)
	if len(list) == 0 {
		return nil, nil
	}
	return json.Marshal(list)
}

// stepsOf returns the steps of a call, the oldest first.
func stepsOf(accepted time.Time, records []protocol.AuditRecord) (steps []protocol.CallStep) {
	add := func(step string, at time.Time) {
		steps = append(steps, protocol.CallStep{Step: step, At: at.UTC()})
	}
	if !accepted.IsZero() {
		add(protocol.StepAccepted, accepted)
	}
	started := func(s protocol.CallStep) bool { return s.Step == protocol.StepStarted }
	for i := range records {
		r := &records[i]
		switch r.Phase {
		case protocol.AuditConsentRequested:
			add(protocol.StepAsked, r.Time)
		case protocol.AuditConsentDecided:
			add(protocol.StepDecided, r.Time)
		case protocol.AuditStarted:
			add(protocol.StepStarted, *cmp.Or(r.StartedAt, &r.Time))
		case protocol.AuditFinished, protocol.AuditRefused, protocol.AuditCancelled:
			// Only calls with side effects have a record of the start. A refused call has none.
			if r.Phase == protocol.AuditFinished && r.StartedAt != nil && !slices.ContainsFunc(steps, started) {
				add(protocol.StepStarted, *r.StartedAt)
			}
			add(protocol.StepDone, *cmp.Or(r.EndedAt, &r.Time))
		default: // the others are no steps of a call
		}
	}
	slices.SortStableFunc(steps, func(a, b protocol.CallStep) int { return a.At.Compare(b.At) })
	return steps
}
