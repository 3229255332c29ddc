package api

import (
	"context"
	"testing"

	"github.com/helve-dev/helve/internal/consent/sentence"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
)

// pigeons notes what is done with which devices.
type pigeons struct{ did []string }

func (p *pigeons) Key(context.Context) (string, error) { return "BA", nil }

func (p *pigeons) List(_ context.Context, tenant, user string) ([]protocol.PushDevice, error) {
	p.did = append(p.did, "list "+tenant+" "+user)
	return nil, nil
}

func (p *pigeons) Subscribe(_ context.Context, tenant, user string, to protocol.PushSubscription, lang sentence.Language) error {
	p.did = append(p.did, "subscribe "+tenant+" "+user+" "+to.Endpoint+" "+string(lang))
	return nil
}

func (p *pigeons) Unsubscribe(_ context.Context, tenant, user, endpoint string) (bool, error) {
	p.did = append(p.did, "unsubscribe "+tenant+" "+user+" "+endpoint)
	return endpoint == "https://p/x", nil
}

// TestDevices: a person sees and changes their own devices only, whatever role they have, and
// nobody names an endpoint for another person.
func TestDevices(t *testing.T) {
	device := `"endpoint": "https://p/x", "keys": {"p256dh": "a", "auth": "b"}`
	for _, tt := range []struct {
		by         identity.Principal
		user, want string // of the request; the person whose devices they are
		status     int
		fail       string
	}{
		{by: as("ada", "", identity.User), want: "ada"},
		{by: as("ada", "", identity.Approver), user: "ada", want: "ada"},
		{by: as("root", "", identity.Admin), want: "root"},
		{by: as("ada", "", identity.User), user: "bob", status: 403, fail: `the user "bob"`},
		{by: as("root", "", identity.Admin), user: "bob", status: 403, fail: `the user "bob"`},
		{by: as("", "", identity.User, identity.Admin), user: "bob", status: 403, fail: "with a credential of their own"},
		{by: as("ada", "notes", identity.User, identity.Agent), status: 403, fail: "the person must"},
		{by: as("ada", "", identity.Agent), status: 403, fail: "needs the role"},
		{by: as("ada", "", identity.Auditor), status: 403, fail: "needs the role"},
		{by: identity.Anyone("default"), status: 400, fail: "set user"},
		{by: identity.Anyone("default"), user: "ada", want: "ada"},
	} {
		s, _ := service(t, nil)
		p := &pigeons{}
		s.Push = p
		named := ""
		if tt.user != "" {
			named = `, "user": "` + tt.user + `"`
		}
		asked := map[string]Input{
			"push.list":        {By: tt.by, Params: map[string]string{"user": tt.user}},
			"push.subscribe":   {By: tt.by, Body: []byte(`{` + device + named + `}`), Language: "de-AT, en;q=0.5"},
			"push.unsubscribe": {By: tt.by, Params: map[string]string{"user": tt.user, "endpoint": "https://p/x"}},
		}
		done := map[string]string{
			"push.list": "list default " + tt.want, "push.subscribe": "subscribe default " + tt.want + " https://p/x de",
			"push.unsubscribe": "unsubscribe default " + tt.want + " https://p/x",
		}
		for op, in := range asked {
			p.did = nil
			reply, err := do(s, op, in)
			if tt.fail != "" {
				kind := map[int]string{400: "bad_request", 403: "forbidden"}[tt.status]
				failure(t, err, kind, tt.status, tt.fail)
				if len(p.did) != 0 {
					t.Errorf("%s of %+v did %q", op, tt.by, p.did)
				}
				continue
			}
			if err != nil || len(p.did) != 1 || p.did[0] != done[op] {
				t.Errorf("%s of %+v = %s, %v, did %q", op, tt.by, reply.Body, err, p.did)
			}
		}
	}
}

// TestDevicesMissing: requests without an endpoint, for another device or to a dispatcher without web push.
func TestDevicesMissing(t *testing.T) {
	s, _ := service(t, nil)
	ada := as("ada", "", identity.User)
	for op, in := range map[string]Input{
		"push.key": {}, "push.list": {}, "push.subscribe": {Body: []byte(`{}`)}, "push.unsubscribe": {},
	} {
		in.By = ada
		_, err := do(s, op, in)
		failure(t, err, "unavailable", 503, "this dispatcher has no web push")
	}
	s.Push = &pigeons{}
	_, err := do(s, "push.unsubscribe", Input{By: ada})
	failure(t, err, "bad_request", 400, "endpoint is missing")
	_, err = do(s, "push.unsubscribe", Input{By: ada, Params: map[string]string{"endpoint": "https://p/other"}})
	failure(t, err, "not_found", 404, "no device of yours")
	if reply, err := do(s, "push.key", Input{By: ada}); err != nil || string(reply.Body) != `{"key":"BA"}` {
		t.Errorf("push.key = %s, %v", reply.Body, err)
	}
}
