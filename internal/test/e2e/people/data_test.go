package people

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// web requests a path over HTTP.
func web(t *testing.T, d system.HTTPDoor, tenant, method, path, body string) system.Reply {
	t.Helper()
	return d.Send(t, method, path, body, http.Header{"Helve-Tenant": {tenant}})
}

func want(t *testing.T, r system.Reply, status int, parts ...string) system.Reply {
	t.Helper()
	if r.Status != status {
		t.Errorf("%d %.500s, want %d", r.Status, r.Body, status)
	}
	for _, part := range parts {
		if !strings.Contains(string(r.Body), part) {
			t.Errorf("%.500s does not contain %q", r.Body, part)
		}
	}
	return r
}

// addNote stores a note of a person.
func addNote(t *testing.T, d system.Door, tenant, user, title string) {
	t.Helper()
	resultOf[json.RawMessage](t, d, tenant, user, "add_note", fmt.Sprintf(`{"title":%q,"content":%q}`, title, title+" content"))
}

// TestDataOperations: a person's data is exported and imported over HTTP and NATS, and
// each operation is on the trail without any content.
func TestDataOperations(t *testing.T) {
	t.Parallel()
	d, n, tenant := shared.HTTP(0), shared.NATS(), system.NewTenant()
	addNote(t, d, tenant, "ann", "Zebra")
	addNote(t, d, tenant, "ben", "Badger")

	file := want(t, web(t, d, tenant, "GET", "/v1/data/export?user=ann", ""), 200, `"collection":"notes"`, "Zebra content")
	if kind := file.Header.Get("Content-Type"); kind != "application/jsonl" || strings.Contains(string(file.Body), "Badger") {
		t.Errorf("the export is %s %s", kind, file.Body)
	}
	resultOf[json.RawMessage](t, d, tenant, "erin", "add_note", `{"title":"Heron","content":"x"}`)
	resultOf[json.RawMessage](t, d, tenant, "erin", "add_expense", `{"amount":5,"currency":"EUR","category":"food","description":"Bread"}`)
	if csv := want(t, web(t, d, tenant, "GET", "/v1/data/export?user=erin&format=csv", ""), 200,
		"Bread"); strings.Contains(string(csv.Body), "Heron") || !strings.HasPrefix(csv.Header.Get("Content-Type"), "text/csv") {
		t.Errorf("the type of CSV is %s", csv.Header.Get("Content-Type"))
	}
	want(t, web(t, d, tenant, "GET", "/v1/data/export?user=nobody", ""), 200)
	want(t, web(t, d, tenant, "GET", "/v1/data/export?user=ann&format=xml", ""), 400, "use jsonl")
	want(t, web(t, d, tenant, "GET", "/v1/data/export", ""), 400, "user is missing")
	told := system.Decode[struct{ Format, Data string }](t, n.Ask(t, tenant, "data.export", map[string]string{"user": "ann"}, ""))
	if told.Format != "jsonl" || told.Data != string(file.Body) {
		t.Errorf("over NATS the export is %+v, over HTTP %s", told, file.Body)
	}

	for i, ask := range []func(body string) system.Reply{
		func(body string) system.Reply { return web(t, d, tenant, "POST", "/v1/data/import", body) },
		func(body string) system.Reply { return n.Ask(t, tenant, "data.import", nil, body) },
	} {
		body, err := json.Marshal(map[string]any{"user": fmt.Sprint("carl", i), "data": told.Data})
		if err != nil {
			t.Fatal(err)
		}
		want(t, ask(string(body)), 200, `{"added":1,"replaced":0,"kept":0}`)
		want(t, ask(string(body)), 200, `{"added":0,"replaced":0,"kept":1}`)
		want(t, ask(`{"user": "carl", "data": "{\"collection\": 5}"}`), 400, "line 1")
		want(t, ask(`{"user": "carl"}`), 400, "data is missing")
		want(t, ask(`{"data": "x"}`), 400, "user is missing")
	}
	want(t, web(t, d, tenant, "GET", "/v1/data/export?user=carl1", ""), 200, "Zebra content")
	want(t, web(t, d, tenant, "POST", "/v1/data/import", `{"user": "carl", "data": "`+strings.Repeat("x", 9<<20)+`"}`), 413)

	records := string(d.Ask(t, tenant, "audit.query", map[string]string{"phase": "personal_data"}, "").Body)
	if strings.Count(records, `"phase":"personal_data"`) != 11 || strings.Count(records, `"tool":"data.`) != 11 ||
		strings.Contains(records, "Zebra") {
		t.Errorf("%d records: %s", strings.Count(records, `"phase":"personal_data"`), records)
	}
}

// TestScheduleOperations: operators list, read and delete scheduled tasks, and see no
// arguments.
func TestScheduleOperations(t *testing.T) {
	t.Parallel()
	d, n, tenant := shared.HTTP(0), shared.NATS(), system.NewTenant()
	ids := map[string]string{}
	for _, user := range []string{"ann", "ben", "cleo"} {
		ids[user] = resultOf[scheduled](t, d, tenant, user, "create_scheduled_task",
			`{"name":"Nightly","schedule":"@daily","toolName":"add_note","toolArgs":{"title":"Zebra","content":"x"}}`).Task.ID
	}
	list := func(r system.Reply) (users string, next string) {
		t.Helper()
		page := system.Decode[struct {
			Schedules []struct{ ID, User, Tool string }
			Next      string
		}](t, want(t, r, 200))
		for _, s := range page.Schedules {
			if s.ID != ids[s.User] || s.Tool != "add_note" {
				t.Errorf("the list has %+v", s)
			}
			users += s.User + " "
		}
		return users, page.Next
	}
	if users, _ := list(web(t, d, tenant, "GET", "/v1/schedules", "")); users != "ann ben cleo " {
		t.Errorf("the tasks are those of %s", users)
	}
	users, next := list(n.Ask(t, tenant, "schedules.list", map[string]string{"limit": "2"}, ""))
	more, end := list(n.Ask(t, tenant, "schedules.list", map[string]string{"limit": "2", "cursor": next}, ""))
	if users != "ann ben " || more != "cleo " || end != "" {
		t.Errorf("pages of %q and %q, then %q", users, more, end)
	}
	if users, _ := list(web(t, d, tenant, "GET", "/v1/schedules?user=ben", "")); users != "ben " {
		t.Errorf("of ben the tasks are those of %s", users)
	}
	want(t, web(t, d, tenant, "GET", "/v1/schedules?cursor=x", ""), 400, "cursor")
	r := want(t, web(t, d, tenant, "GET", "/v1/schedules/"+ids["ann"], ""), 200, `"name":"Nightly"`, `"next_run":`)
	if strings.Contains(string(r.Body), "Zebra") {
		t.Errorf("an operator sees the arguments: %s", r.Body)
	}
	want(t, n.Ask(t, tenant, "schedules.get", map[string]string{"id": ids["ann"], "user": "ben"}, ""), 404, "no scheduled task")
	want(t, n.Ask(t, tenant, "schedules.delete", map[string]string{"id": ids["ann"], "user": "ben"}, ""), 404, "no scheduled task")
	want(t, web(t, d, system.NewTenant(), "GET", "/v1/schedules/"+ids["ann"], ""), 404)
	want(t, n.Ask(t, tenant, "schedules.delete", map[string]string{"id": ids["ann"]}, ""), 200, ids["ann"])
	want(t, web(t, d, tenant, "DELETE", "/v1/schedules/"+ids["ann"], ""), 404)
	want(t, web(t, d, tenant, "DELETE", "/v1/schedules/"+ids["ben"], ""), 200, `"user":"ben"`)
	if users, _ := list(web(t, d, tenant, "GET", "/v1/schedules", "")); users != "cleo " {
		t.Errorf("after the deletions the tasks are those of %s", users)
	}
	records := string(d.Ask(t, tenant, "audit.query", map[string]string{"phase": "personal_data", "user": "ann"}, "").Body)
	if strings.Count(records, `"phase":"personal_data"`) != 1 || !strings.Contains(records, ids["ann"]) {
		t.Errorf("the trail has %s", records)
	}
}

// TestDataDeleteIsWhole: after a deletion nothing but the audit trail has a byte of the
// person: neither the database, nor the files, nor any stream, bucket or object store.
// Others keep everything.
func TestDataDeleteIsWhole(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{})
	d, tenant, marker := s.HTTP(0), system.NewTenant(), "zqxmarker"
	for _, user := range []string{"ann", "ben"} {
		mark := marker + user
		addNote(t, d, tenant, user, mark)
		resultOf[json.RawMessage](t, d, tenant, user, "write_file", fmt.Sprintf(`{"path":"%s.txt","content":%q}`, mark, mark))
		resultOf[json.RawMessage](t, d, tenant, user, "write_file", fmt.Sprintf(`{"path":"%s.txt","content":%q}`, mark, "two "+mark))
		resultOf[scheduled](t, d, tenant, user, "create_scheduled_task",
			fmt.Sprintf(`{"name":%q,"schedule":"@daily","toolName":"add_note","toolArgs":{"title":%q,"content":"x"}}`, mark, mark))
		large := strings.Repeat(mark+" ", 21_000) // arguments and result go through the object stores
		resultOf[string](t, d, tenant, user, "debug.echo", fmt.Sprintf(`{"value":%q}`, large))
		want(t, d.Ask(t, tenant, "push.subscribe", nil, `{"user":"`+user+`","endpoint":"https://push.example/`+mark+`","keys":{`+
			`"p256dh":"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4","auth":"BTBZMqHH6r4Tts7J_aSIgg"}}`), 200)
	}
	system.CreateTool(t, s, tenant, system.CustomTool{Name: "mine", Description: marker + "u1", Code: "return 1"})
	left := func(mark string) []string { return append(inStreams(t, s, mark), inTree(t, s.Config.Data, mark)...) }
	for _, where := range []string{"stream HELVE_RESULTS", "stream OBJ_HELVE_RESULTS", "stream OBJ_HELVE_CALLS", "KV_helve_push", "store.db", "workspaces"} {
		if !strings.Contains(strings.Join(left(marker+"ann"), "\n"), where) {
			t.Fatalf("%s does not have the marker before: %q", where, left(marker+"ann"))
		}
	}
	if !strings.Contains(strings.Join(left(marker+"u1"), "\n"), "helve_custom") {
		t.Fatalf("the custom tool is not found: %q", left(marker+"u1"))
	}
	before := len(left(marker + "ben"))

	done := system.Decode[struct {
		Items       int
		Results     int
		CustomTools int `json:"custom_tools"`
		Left        []string
	}](t, want(t, web(t, d, tenant, "DELETE", "/v1/data?user=ann", ""), 200))
	if done.Items != 2 || done.Results != 5 || len(done.Left) == 0 {
		t.Errorf("deleted %+v, want 2 items and 5 results", done)
	}
	if rest := left(marker + "ann"); len(rest) > 0 {
		t.Errorf("the marker is left in %q", rest)
	}
	if timers := inSubjects(t, s, streams.Schedules, tenant+".schedule.default.ann."); timers > 0 {
		t.Errorf("%d timers are left", timers)
	}
	if after := len(left(marker + "ben")); after != before {
		t.Errorf("of ben %d places are left of %d", after, before)
	}
	done.CustomTools = 0
	if done = system.Decode[struct {
		Items       int
		Results     int
		CustomTools int `json:"custom_tools"`
		Left        []string
	}](t, want(t, s.NATS().Ask(t, tenant, "data.delete", map[string]string{"user": "u1"}, ""), 200)); done.CustomTools != 1 {
		t.Errorf("deleted %+v, want one custom tool", done)
	}
	for _, place := range left(marker + "u1") {
		if !strings.Contains(place, "HELVE_PARKED") && !strings.Contains(place, "HELVE_CONSENT") && !strings.Contains(place, "HELVE_DECISIONS") {
			t.Errorf("the custom tool is left in %s", place)
		}
	}
	records := string(d.Ask(t, tenant, "audit.query", map[string]string{"phase": "personal_data"}, "").Body)
	if strings.Count(records, `"tool":"data.delete"`) != 2 {
		t.Errorf("the trail has %s", records)
	}
	if r := system.Decode[struct{ OK bool }](t, d.Ask(t, tenant, "audit.verify", nil, "")); !r.OK {
		t.Error("the trail does not verify after the deletion")
	}
}

// inStreams returns the streams, without the audit trail, with a message that has the text
// in its subject, headers or body.
func inStreams(t *testing.T, s *system.System, text string) (found []string) {
	t.Helper()
	js, err := jetstream.New(s.Conn)
	if err != nil {
		t.Fatal(err)
	}
	ctx := system.Context(t)
	names := js.StreamNames(ctx)
	for name := range names.Name() {
		if name == streams.Audit {
			continue
		}
		stream, err := js.Stream(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		for seq := stream.CachedInfo().State.FirstSeq; seq <= stream.CachedInfo().State.LastSeq && seq > 0; seq++ {
			msg, err := stream.GetMsg(ctx, seq)
			if err != nil {
				continue // it was removed
			}
			if all := fmt.Sprintf("%s %v %s", msg.Subject, msg.Header, msg.Data); strings.Contains(all, text) {
				found = append(found, fmt.Sprintf("stream %s: %.300s", name, all))
			}
		}
	}
	if err := names.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}

// inSubjects returns the number of messages of a stream whose subjects contain a text.
func inSubjects(t *testing.T, s *system.System, stream, text string) (n int) {
	t.Helper()
	for _, place := range inStreams(t, s, text) {
		if strings.HasPrefix(place, "stream "+stream+":") {
			n++
		}
	}
	return n
}

// inTree returns the files of a data directory, outside those of NATS and of the index of
// the trail, whose name or content has the text.
func inTree(t *testing.T, dir, text string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() && (e.Name() == "nats" || e.Name() == "audit") {
			return skipped(err)
		}
		if e.IsDir() || strings.HasPrefix(e.Name(), "audit") {
			return nil
		}
		data, err := os.ReadFile(path)
		if err == nil && (strings.Contains(path, text) || bytes.Contains(data, []byte(text))) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// skipped skips a directory that was read without an error.
func skipped(err error) error {
	if err != nil {
		return err
	}
	return fs.SkipDir
}

// TestTimersAreRestored: tasks whose timers are gone, with the stream that held them or by
// an import, run all the same, each once.
func TestTimersAreRestored(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Dispatchers: 2})
	d, tenant := s.HTTP(0), system.NewTenant()
	due := in(8 * time.Second)
	ids := map[string]string{}
	for _, user := range []string{"ann", "ben"} {
		ids[user] = resultOf[scheduled](t, d, tenant, user, "create_scheduled_task",
			`{"name":"x","schedule":"`+due+`","missedRuns":"once","toolName":"add_note","toolArgs":{"title":"x","content":"x"}}`).Task.ID
	}
	file := want(t, web(t, d, tenant, "GET", "/v1/data/export?user=ann", ""), 200, ids["ann"])
	js, err := jetstream.New(s.Conn)
	if err != nil {
		t.Fatal(err)
	}
	if err := js.DeleteStream(t.Context(), streams.Schedules); err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(map[string]any{"user": "ann", "data": string(file.Body)})
	if err != nil {
		t.Fatal(err)
	}
	queuetest.Until(t, "the stream is back", func() bool {
		_, err := js.Stream(t.Context(), streams.Schedules)
		return err == nil
	})
	other := system.NewTenant()
	want(t, web(t, d, other, "POST", "/v1/data/import", string(body)), 200)
	resultOf[scheduled](t, d, other, "ann", "update_scheduled_task", `{"taskId":"`+ids["ann"]+`","enabled":true}`) // an import is switched off
	for _, who := range []struct{ tenant, user, id string }{
		{tenant, "ann", ids["ann"]}, {tenant, "ben", ids["ben"]}, {other, "ann", ids["ann"]},
	} {
		if runs := ended(t, d, who.tenant, who.user, who.id, 1); len(runs) != 1 || runs[0].Status != "success" {
			t.Errorf("%+v: %+v, want one run", who, runs)
		}
		if notes := resultOf[struct{ Total int }](t, d, who.tenant, who.user, "list_notes", `{}`); notes.Total != 1 {
			t.Errorf("%+v: %d notes were added, want 1", who, notes.Total)
		}
	}
}
