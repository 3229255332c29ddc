package api

import (
	"context"

	"github.com/helve-dev/helve/internal/consent/sentence"
	"github.com/helve-dev/helve/protocol"
)

// Push stores the devices of people to which their requests for consent are sent. Its errors
// that a caller may see are of type [*RequestError].
type Push interface {
	// Key returns the public key for which devices subscribe.
	Key(ctx context.Context) (string, error)
	List(ctx context.Context, tenant, user string) ([]protocol.PushDevice, error)
	// Subscribe stores a device; one with the same endpoint is replaced.
	Subscribe(ctx context.Context, tenant, user string, to protocol.PushSubscription, lang sentence.Language) error
	// Unsubscribe removes a device and reports whether it was stored.
	Unsubscribe(ctx context.Context, tenant, user, endpoint string) (bool, error)
}

// personOfDevices returns the person whose devices a request is about: the caller. Nobody
// else names an endpoint for a person, because it receives what the person is asked.
func (s *Service) personOfDevices(in Input, named string) (string, error) {
	if s.Push == nil {
		return "", missing("web push")
	}
	if in.By.Agent != "" {
		return "", Forbidden("the agent %q cannot see or change the devices of a person: the person must", in.By.Agent)
	}
	by, err := narrow(in, named, "")
	switch {
	case err != nil:
		return "", err
	case by.User == "":
		return "", BadRequest("notifications are sent to a person: set user")
	case !in.By.Open && in.By.User != by.User:
		return "", Forbidden("only %s can see or change the devices of %[1]s, with a credential of their own", by.User)
	}
	return by.User, nil
}

func (s *Service) pushKey(ctx context.Context, _ Input) (Reply, error) {
	if s.Push == nil {
		return Reply{}, missing("web push")
	}
	key, err := s.Push.Key(ctx)
	if err != nil {
		return Reply{}, err
	}
	return answer(protocol.PushKey{Key: key})
}

func (s *Service) listDevices(ctx context.Context, in Input) (Reply, error) {
	user, err := s.personOfDevices(in, in.Params["user"])
	if err != nil {
		return Reply{}, err
	}
	devices, err := s.Push.List(ctx, in.Tenant, user)
	if err != nil {
		return Reply{}, err
	}
	return answer(protocol.PushDeviceList{Devices: array(devices)})
}

func (s *Service) subscribe(ctx context.Context, in Input) (Reply, error) {
	var body protocol.PushSubscription
	if err := parseBody(in.Body, &body, `{"endpoint": "https://…", "keys": {"p256dh": "…", "auth": "…"}}`); err != nil {
		return Reply{}, err
	}
	user, err := s.personOfDevices(in, body.User)
	if err != nil {
		return Reply{}, err
	}
	if err := s.Push.Subscribe(ctx, in.Tenant, user, body, preferred(in.Language)); err != nil {
		return Reply{}, err
	}
	return answer(struct{}{})
}

func (s *Service) unsubscribe(ctx context.Context, in Input) (Reply, error) {
	user, err := s.personOfDevices(in, in.Params["user"])
	if err != nil {
		return Reply{}, err
	}
	if in.Params["endpoint"] == "" {
		return Reply{}, BadRequest("endpoint is missing: push.list names those there are")
	}
	found, err := s.Push.Unsubscribe(ctx, in.Tenant, user, in.Params["endpoint"])
	if err == nil && !found {
		err = NotFound("no device of yours has this endpoint; push.list names those there are")
	}
	if err != nil {
		return Reply{}, err
	}
	return answer(struct{}{})
}
