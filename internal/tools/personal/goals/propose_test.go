package goals

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestPropose(t *testing.T) {
	var reply, asked string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			Messages []struct{ Content []struct{ Text string } }
		}
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			t.Error(err)
		}
		asked = request.Messages[0].Content[0].Text
		text, err := json.Marshal(reply)
		if err != nil {
			t.Error(err)
		}
		_, _ = w.Write([]byte(`{"choices":[{"message":{"content":` + string(text) + `}}]}`))
	}))
	t.Cleanup(server.Close)
	call := ann(t)
	call.HTTP = server.Client()
	call.Secrets = accounts{{Active: true, Data: map[string]string{"base_url": server.URL}}}
	id := create(t, call, "Run a marathon", `,"dueDate":"2027-10-04"`)
	decompose(t, call, id, "Buy shoes")

	reply = `{"steps":[{"title":"Run 10 km","description":"slowly"},{"title":"Run 20 km","dependsOn":[0]}]}`
	got := play[decomposeResult](t, call, "decompose_goal", quoted(id, ""))
	if len(got.Steps) != 2 || got.Steps[0].ID != id+"-2" || got.Steps[1].Dependencies[0] != id+"-2" {
		t.Errorf("result %+v", got)
	}
	if !strings.HasSuffix(asked, `{"title":"Run a marathon","dueDate":"2027-10-04","steps":["Buy shoes"]}`) {
		t.Errorf("the model was asked %q", asked)
	}
	for _, tt := range []struct{ reply, message string }{
		{`{"steps":[]}`, "proposed 0 steps"},
		{`{"steps":[` + strings.Repeat(`{"title":"x"},`, 20) + `{"title":"x"}]}`, "proposed 21 steps, not 1 to 20"},
		{`{"steps":[{"title":" "}]}`, "steps[0].title is missing or blank"},
		{`{"steps":[{"title":"a","dependsOn":[0]}]}`, "in a circle"},
		{`first run`, "did not answer with the JSON object"},
	} {
		reply = tt.reply
		tooltest.Run(t, Set, "decompose_goal", call, []tooltest.Case{
			{Name: tt.message, Args: quoted(id, ""), Fails: tool.ExecutionError, Message: tt.message},
		})
	}
	if got := play[detailsResult](t, call, "get_goal_details", quoted(id, "")).StepCount; got != 3 {
		t.Errorf("the goal has %d steps, want 3", got)
	}
}
