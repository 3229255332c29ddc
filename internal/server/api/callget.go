package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/protocol"
)

// The members that include names.
const (
	includeArguments = "arguments"
	includeSteps     = "steps"
	includeBoth      = includeArguments + "," + includeSteps
)

// Includes returns the values of include.
func Includes() []string { return []string{includeArguments, includeSteps, includeBoth} }

func (s *Service) getCall(ctx context.Context, in Input) (Reply, error) {
	include := in.Params["include"]
	if include != "" && !slices.Contains(Includes(), include) {
		return Reply{}, notOneOf("include", include, Includes())
	}
	reply, err := oneCall(ctx, in, s.Calls.Get)
	if err != nil || include == "" {
		return reply, err
	}
	if include != includeSteps {
		args, err := s.Calls.Arguments(ctx, in.Tenant, in.Params["call_id"])
		if err != nil {
			return Reply{}, err
		}
		reply.Body = withMember(reply.Body, includeArguments, args)
	}
	if include != includeArguments {
		steps, err := s.steps(ctx, in.Tenant, in.Params["call_id"])
		if err != nil {
			return Reply{}, err
		}
		reply.Body = withMember(reply.Body, includeSteps, steps)
	}
	return reply, nil
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
