package tooltest

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

type pingArgs struct {
	Name  string `json:"name" doc:"Whom to greet."`
	Times int    `json:"times" doc:"How often." default:"1"`
}

// ping is a set of one tool that uses files and shows what it was given.
func ping() *tool.Set {
	set := tool.NewSet("Tests", "tests")
	tool.Add(set, tool.Spec[pingArgs, map[string]any]{
		Name: "test.ping", Description: "Greets.", Risk: tool.Low, Needs: tool.NeedFiles, Timeout: time.Second,
		Run: func(ctx context.Context, call *tool.Call, args pingArgs) (map[string]any, error) {
			call.Log("pinged")
			_, bounded := ctx.Deadline()
			return map[string]any{
				"name": args.Name, "times": args.Times, "tool": call.Tool, "tenant": call.Tenant, "attempt": call.Attempt,
				"now": call.Clock.Now(), "bounded": bounded && !call.Deadline.IsZero(), "files": call.Files != nil, "http": call.HTTP != nil,
			}, nil
		},
	})
	return set
}

func TestRun(t *testing.T) {
	var events Events
	call := tool.Call{Files: Files{}, HTTP: Doer(nil), Events: &events}
	Run(t, ping(), "test.ping", call, []Case{
		{Name: "defaults", Args: `{"name": "ann", "unknown": 1}`, Want: `{"name": "ann", "times": 1, "tool": "test.ping", "tenant": "default",
			"attempt": 1, "now": "2026-01-02T12:00:00Z", "bounded": true, "files": true, "http": false}`},
		{Name: "missing", Fails: tool.ValidationError, Message: "name"},
		{Name: "wrong type", Args: `{"name": 1}`, Fails: tool.ValidationError, Message: "name: expected string"},
		{Name: "not JSON", Args: `{"name"`, Fails: tool.ValidationError},
	})
	if got := events.All(); len(got) != 1 || got[0].Kind != "log" {
		t.Errorf("events = %v, want the one log line of the one call that ran", got)
	}
}

// A tool must not come to rely on a port it did not ask for.
func TestRunTakesPortsAway(t *testing.T) {
	set := tool.NewSet("Tests", "tests")
	tool.Add(set, tool.Spec[struct{}, []bool]{
		Name: "bare", Description: "Shows its ports.", Risk: tool.Low, Timeout: time.Second,
		Run: func(_ context.Context, call *tool.Call, _ struct{}) ([]bool, error) {
			return []bool{call.Files != nil, call.HTTP != nil, call.Clock != nil, call.Events != nil}, nil
		},
	})
	Run(t, set, "bare", tool.Call{Files: Files{}, HTTP: Doer(nil)}, []Case{{Name: "ports", Want: `[false, false, true, true]`}})
}

func TestEquip(t *testing.T) {
	tl := find(ping(), "test.ping")
	if got := equip(&tool.Call{}, tl); got != "Files" {
		t.Errorf("equip without files names %q as missing, want Files", got)
	}
	call := tool.Call{ID: "mine", Tenant: "acme", Files: Files{}, Clock: Clock{T: time.Unix(7, 0)}}
	if got := equip(&call, tl); got != "" || call.ID != "mine" || call.Tenant != "acme" || call.Clock.Now().Unix() != 7 {
		t.Errorf("equip changed what was set: %+v, missing %q", call, got)
	}
}

func TestPlay(t *testing.T) {
	set := ping()
	res, err := Play(t.Context(), find(set, "test.ping"), tool.Call{Files: Files{}}, `{"name":"ann","unknown":1}`)
	if err != nil || diffJSON(`"ann"`, string(member(t, res.Value, "name"))) != "" {
		t.Errorf("Play = %s, %v, want a result for ann", res.Value, err)
	}
	_, err = Play(t.Context(), find(set, "test.ping"), tool.Call{Files: Files{}}, `{}`)
	if failure := tool.AsError(err); failure == nil || failure.Kind != tool.ValidationError {
		t.Errorf("Play without the name: error %v, want %s", err, tool.ValidationError)
	}
	if _, err = Play(t.Context(), find(set, "test.ping"), tool.Call{}, `{"name":"ann"}`); !errors.Is(err, MissingPort("Files")) {
		t.Errorf("Play without files: error %v, want %v", err, MissingPort("Files"))
	}
	tool.Add(set, tool.Spec[struct{}, any]{
		Name: "way", Description: "Leads on.", Risk: tool.Low, Timeout: time.Second,
		Delegate: func(struct{}) (string, json.RawMessage, error) { return "test.ping", nil, nil },
	})
	if _, err = Play(t.Context(), find(set, "way"), tool.Call{}, ``); !errors.Is(err, MissingPort("Tools")) {
		t.Errorf("Play of a way to another tool: error %v, want %v", err, MissingPort("Tools"))
	}
}

func member(t *testing.T, object json.RawMessage, name string) json.RawMessage {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal(object, &members); err != nil {
		t.Fatal(err)
	}
	return members[name]
}
