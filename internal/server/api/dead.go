package api

import (
	"context"
	"strconv"

	"github.com/helve-dev/helve/protocol"
)

// Dead holds the queued messages that no worker could read, by tenant. A letter of another
// tenant does not exist. Errors for the caller are of type [*RequestError].
type Dead interface {
	// List returns the letters after the place after, at most limit.
	List(ctx context.Context, tenant string, after uint64, limit int) ([]protocol.DeadLetter, error)
	Get(ctx context.Context, tenant string, seq uint64) (protocol.DeadLetter, error)
	// Requeue puts a letter on the queue again. Without force it refuses a letter whose
	// call may have had its effect.
	Requeue(ctx context.Context, tenant string, seq uint64, force bool, by string) (protocol.DeadLetter, error)
	Drop(ctx context.Context, tenant string, seq uint64, by string) error
}

func (s *Service) listDead(ctx context.Context, in Input) (Reply, error) {
	if s.Dead == nil {
		return Reply{}, missing("dead letters")
	}
	limit, err := pageSize(in.Params["limit"])
	if err != nil {
		return Reply{}, err
	}
	var after uint64
	if cursor := in.Params["cursor"]; cursor != "" {
		if after, err = strconv.ParseUint(cursor, 10, 64); err != nil {
			return Reply{}, BadRequest("cursor was not returned by this query; leave it out for the first page")
		}
	}
	letters, err := s.Dead.List(ctx, in.Tenant, after, limit)
	if err != nil {
		return Reply{}, err
	}
	list := protocol.DeadList{Dead: array(letters)}
	if len(letters) == limit {
		list.Next = strconv.FormatUint(letters[limit-1].Seq, 10)
	}
	return answer(list)
}

func (s *Service) getDead(ctx context.Context, in Input) (Reply, error) {
	seq, err := s.letter(in)
	if err != nil {
		return Reply{}, err
	}
	letter, err := s.Dead.Get(ctx, in.Tenant, seq)
	if err != nil {
		return Reply{}, err
	}
	return answer(letter)
}

func (s *Service) requeueDead(ctx context.Context, in Input) (Reply, error) {
	seq, err := s.letter(in)
	if err != nil {
		return Reply{}, err
	}
	var body protocol.RequeueRequest
	if len(in.Body) > 0 {
		if err := parseBody(in.Body, &body, `{"force": true}`); err != nil {
			return Reply{}, err
		}
	}
	letter, err := s.Dead.Requeue(ctx, in.Tenant, seq, body.Force, in.By.Called())
	if err != nil {
		return Reply{}, err
	}
	return answer(letter)
}

func (s *Service) dropDead(ctx context.Context, in Input) (Reply, error) {
	seq, err := s.letter(in)
	if err != nil {
		return Reply{}, err
	}
	if err := s.Dead.Drop(ctx, in.Tenant, seq, in.By.Called()); err != nil {
		return Reply{}, err
	}
	return answer(protocol.Empty{})
}

func (s *Service) letter(in Input) (uint64, error) {
	if s.Dead == nil {
		return 0, missing("dead letters")
	}
	seq, err := strconv.ParseUint(in.Params["seq"], 10, 64)
	if err != nil || seq == 0 {
		return 0, BadRequest("seq must be the number of a dead letter, but it is %.40q", in.Params["seq"])
	}
	return seq, nil
}

// Conflict returns the error for a request that the present state does not permit.
func Conflict(format string, args ...any) *RequestError {
	return newRequestError("conflict", 409, format, args...)
}
