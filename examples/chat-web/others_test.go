package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/helve-dev/helve/client"
)

// put stores a file in a person's workspace.
func put(t *testing.T, user, name, content string) {
	t.Helper()
	c, err := client.New(helve.url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.PutFile(t.Context(), user, name, strings.NewReader(content)); err != nil {
		t.Fatal(err)
	}
}

// TestOthers: what is one person's, another may neither see nor change.
func TestOthers(t *testing.T) {
	url, stop := startWeb(t, serveModel(t), t.TempDir())
	defer stop()
	mia, ned, nobody := logIn(t, url, person("mia")), logIn(t, url, person("ned")), &visitor{t: t, url: url}
	mia.say("guard of-mia")
	asked := mia.card(1)
	decision := "helve/v1/consents/" + asked.ID + "/decision"
	grant := map[string]any{"decision": "grant", "remember": "session", "by": ned.name, "context": map[string]string{"user": ned.name}}
	for _, body := range []any{grant, map[string]any{"decision": "grant", "by": mia.name, "context": map[string]string{"user": mia.name}}} {
		if said := ned.post(decision, body, nil); said.status != http.StatusNotFound {
			t.Errorf("ned decides for mia: %+v, want 404", said)
		}
	}
	var decided client.Consent
	if said := mia.post(decision, grant, nil); json.Unmarshal([]byte(said.text), &decided) != nil || said.status != http.StatusOK ||
		decided.Verdict == nil || decided.Verdict.By != mia.name {
		t.Fatalf("mia grants: %+v, want it to be her whatever the page says", said)
	}
	mia.sees("result", "written")
	var kept struct{ Grants []client.Grant }
	if err := json.Unmarshal([]byte(mia.get("helve/v1/grants").text), &kept); err != nil || len(kept.Grants) != 1 {
		t.Fatalf("mia's remembered answers are %+v, %v", kept, err)
	}
	answer, call := "helve/v1/grants/"+kept.Grants[0].ID, "helve/v1/calls/"+asked.Call.CallID+"?include=arguments"
	if said := mia.get(call); !strings.Contains(said.text, `"key":"of-mia"`) {
		t.Errorf("mia's call = %+v, want its arguments", said)
	}
	for _, path := range []string{
		"helve/v1/consents/" + asked.ID, "helve/v1/consents/..%2Fx", "helve/v1/consents/" + asked.ID + "?user=" + mia.name,
		call, "helve/v1/calls/..%2Ftools", "helve/v1/tools/no.such", "helve/v1/tools/..%2Fcalls",
	} {
		if said := ned.get(path); said.status != http.StatusNotFound {
			t.Errorf("ned gets %s: %+v, want 404", path, said)
		}
		if said := nobody.get(path); said.status != http.StatusUnauthorized {
			t.Errorf("nobody gets %s: %+v, want 401", path, said)
		}
	}
	if said := ned.get("helve/v1/grants?user=" + mia.name); said.status != http.StatusOK || strings.Contains(said.text, mia.name) {
		t.Errorf("ned's grants are %+v", said)
	}
	if said := ned.whole(http.MethodDelete, answer, nil, nil); said.status != http.StatusNotFound {
		t.Errorf("ned forgets mia's answer: %+v, want 404", said)
	}
	mia.say("guard of-mia-again") // the answer still holds
	eventually(t, "the second call of mia's", func() bool { return len(ledger(t, mia.name)) == 2 })
	if said := mia.whole(http.MethodDelete, answer, nil, nil); said.status != http.StatusOK {
		t.Errorf("mia forgets: %+v", said)
	}
	if said := mia.whole(http.MethodDelete, answer, nil, nil); said.status != http.StatusNotFound {
		t.Errorf("mia forgets twice: %+v, want 404", said)
	}
}

// TestOtherConversations: what the same person is asked in another conversation is neither shown nor
// decided here.
func TestOtherConversations(t *testing.T) {
	url, stop := startWeb(t, serveModel(t), t.TempDir())
	defer stop()
	mia := logIn(t, url, person("mia"))
	elsewhere := parkElsewhere(t, mia.name, "of-elsewhere")
	mia.say("guard of-mia")
	if own := mia.card(1); !strings.Contains(own.Preview, "of-mia") || strings.Contains(mia.sent(), "of-elsewhere") {
		t.Errorf("mia is shown %+v", mia.look())
	}
	path := "helve/v1/consents/" + elsewhere
	for name, said := range map[string]answer{
		"reads": mia.get(path), "decides": mia.post(path+"/decision", map[string]any{"decision": "grant"}, nil),
	} {
		if said.status != http.StatusNotFound {
			t.Errorf("the page %s what is asked elsewhere: %+v, want 404", name, said)
		}
	}
	if got := ledger(t, mia.name); len(got) != 0 {
		t.Errorf("for mia was done %q", got)
	}
}

// parkElsewhere makes a call of another conversation of a person, and returns the consent for which it waits.
func parkElsewhere(t *testing.T, user, key string) string {
	t.Helper()
	c, err := client.New(helve.url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	arguments, err := json.Marshal(map[string]string{"key": key})
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Execute(t.Context(), client.Request{
		Context: client.Context{User: user, Conversation: "elsewhere"}, Calls: []client.Call{{Tool: "debug.guarded", Arguments: arguments}},
	})
	if err != nil || len(got.Results) != 1 || got.Results[0].ConsentID == "" {
		t.Fatalf("the call waits for nobody: %+v, %v", got, err)
	}
	return got.Results[0].ConsentID
}

// TestOthersFiles: a page reads files of its own person, as files, and does nothing else
// with any.
func TestOthersFiles(t *testing.T) {
	url, stop := startWeb(t, serveModel(t), t.TempDir())
	defer stop()
	mia, ned, nobody := logIn(t, url, person("mia")), logIn(t, url, person("ned")), &visitor{t: t, url: url}
	put(t, mia.name, "dir/a b.html", "<script>of-mia</script>")
	const path = "helve/v1/files/dir/a%20b.html"
	said := mia.get(path)
	if said.status != http.StatusOK || said.text != "<script>of-mia</script>" ||
		said.header.Get("Content-Type") != "application/octet-stream" ||
		!strings.HasPrefix(said.header.Get("Content-Disposition"), "attachment") || said.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("mia's file = %+v, want it, and no page", said)
	}
	if said := nobody.get(path); said.status != http.StatusUnauthorized {
		t.Errorf("nobody's = %+v, want 401", said)
	}
	for _, other := range []string{
		path, path + "?user=" + mia.name, path + "?user=" + ned.name + "&user=" + mia.name,
		"helve/v1/files/..%2F" + mia.name + "%2Fdir%2Fa%20b.html", "helve/v1/files/%2e%2e/" + mia.name + "/dir/a%20b.html", "helve/v1/files/",
		"helve/v1/files/dir/", "helve/v1/files/.",
	} {
		if said := ned.get(other); said.status == http.StatusOK || strings.Contains(said.text, "of-mia") {
			t.Errorf("ned gets %s: %+v", other, said)
		}
	}
	for _, method := range []string{http.MethodPut, http.MethodDelete, http.MethodPost} {
		if said := mia.whole(method, path, map[string]string{}, nil); said.status != http.StatusMethodNotAllowed {
			t.Errorf("%s = %+v, want 405: a page only reads", method, said)
		}
	}
	for _, closed := range []string{
		"helve/v1/calls", "helve/v1/consents", "helve/v1/audit", "helve/v1/data/export", "helve/v1/services", "helve/openapi.json", "helve/metrics", "helve/",
	} {
		if said := mia.get(closed); said.status != http.StatusNotFound {
			t.Errorf("%s = %+v, want 404: pages may not use it", closed, said)
		}
	}
}
