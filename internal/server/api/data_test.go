package api

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
)

// keeper is a PersonalData that notes the person of the last request.
type keeper struct{ of *string }

// Export implements [PersonalData].
func (k keeper) Export(_ context.Context, tenant, user, format string, w io.Writer) error {
	*k.of = tenant + "/" + user
	_, err := io.WriteString(w, strings.Repeat(format, 100))
	return err
}

// Import implements [PersonalData].
func (k keeper) Import(_ context.Context, tenant, user, _ string, file io.Reader, _ bool) (protocol.DataImported, error) {
	*k.of = tenant + "/" + user
	text, err := io.ReadAll(file)
	return protocol.DataImported{Added: len(text)}, err
}

// Summary implements [PersonalData].
func (k keeper) Summary(_ context.Context, tenant, user string) (protocol.DataSummary, error) {
	*k.of = tenant + "/" + user
	return protocol.DataSummary{}, nil
}

// Delete implements [PersonalData].
func (k keeper) Delete(_ context.Context, tenant, user string) (protocol.DataDeleted, error) {
	*k.of = tenant + "/" + user
	return protocol.DataDeleted{Items: 7}, nil
}

// Schedules implements [PersonalData].
func (k keeper) Schedules(_ context.Context, tenant, user string, _ int, _ string) (protocol.ScheduleList, error) {
	*k.of = tenant + "/" + user
	return protocol.ScheduleList{}, nil
}

// Schedule implements [PersonalData].
func (k keeper) Schedule(_ context.Context, tenant, user, id string) (protocol.Schedule, error) {
	*k.of = tenant + "/" + user
	return protocol.Schedule{ID: id}, nil
}

// DeleteSchedule implements [PersonalData].
func (k keeper) DeleteSchedule(ctx context.Context, tenant, user, id string) (protocol.Schedule, error) {
	return k.Schedule(ctx, tenant, user, id)
}

// TestWhoseData: everybody reaches their own data only, admins that of a person of the
// tenant whom they name, auditors only see tasks, and agents reach nothing.
func TestWhoseData(t *testing.T) {
	all := []string{"data.summary", "data.export", "data.import", "data.delete"}
	tasks := []string{"schedules.list", "schedules.get", "schedules.delete"}
	for _, tt := range []struct {
		by         identity.Principal
		operations []string
		user, want string
		kind, fail string
		status     int
	}{
		{by: as("ada", "", identity.User), operations: append(all, tasks...), want: "default/ada"},
		{by: as("ada", "", identity.User), operations: append(all, tasks...), user: "ada", want: "default/ada"},
		{
			by:         as("ada", "", identity.User),
			operations: append(all, tasks...),
			user:       "bob",
			kind:       "forbidden",
			status:     403,
			fail:       `the user "bob"`,
		},
		{by: as("", "", identity.User), operations: append(all, tasks...), user: "bob", want: "default/bob"},
		{by: as("", "", identity.User), operations: append(all, tasks...), kind: "forbidden", status: 403, fail: "names no user"},
		{by: as("ada", "notes", identity.User), operations: all, kind: "forbidden", status: 403, fail: "a person must"},
		{by: as("root", "", identity.Admin), operations: append(all, tasks...), user: "bob", want: "default/bob"},
		{by: as("root", "", identity.Admin), operations: all, want: "default/root"},
		{by: as("root", "", identity.Admin), operations: tasks, want: "default/"},
		{by: as("", "", identity.Admin), operations: all, kind: "bad_request", status: 400, fail: "user is missing"},
		{by: as("aud", "", identity.Auditor), operations: tasks[:2], want: "default/"},
		{by: as("aud", "", identity.Auditor), operations: append(all, tasks[2]), kind: "forbidden", status: 403, fail: "needs the role"},
		{by: as("ada", "", identity.Agent), operations: append(all, tasks...), kind: "forbidden", status: 403, fail: "needs the role"},
		{by: as("ada", "", identity.Approver), operations: append(all, tasks...), kind: "forbidden", status: 403, fail: "needs the role"},
		{by: identity.Anyone("t2"), operations: append(all, tasks...), user: "bob", want: "t2/bob"},
		{by: identity.Anyone("t2"), operations: all, kind: "bad_request", status: 400, fail: "user is missing"},
		{by: identity.Anyone("t2"), operations: append(all, tasks...), user: "a b", kind: "bad_request", status: 400, fail: "user must match"},
	} {
		for _, operation := range tt.operations {
			of := ""
			s, _ := service(t, nil)
			in := Input{By: tt.by, Params: map[string]string{"user": tt.user, "id": "k3f9"}, Body: []byte(`{"user":"` + tt.user + `","data":"x"}`)}
			if tt.user == "" {
				in.Body = []byte(`{"data":"x"}`)
			}
			s.Data = keeper{&of}
			_, err := do(s, operation, in)
			if tt.kind != "" {
				failure(t, err, tt.kind, tt.status, tt.fail)
			}
			if tt.kind == "" && err != nil || of != tt.want {
				t.Errorf("%s by %+v for %q reaches %q, %v, want %q", operation, tt.by, tt.user, of, err, tt.want)
			}
		}
	}
	s, _ := service(t, nil)
	for _, operation := range append(all, tasks...) {
		_, err := do(s, operation, Input{Params: map[string]string{"user": "bob", "id": "k3f9"}, Body: []byte(`{"user":"bob","data":"x"}`)})
		failure(t, err, "unavailable", 503, "this dispatcher has no")
	}
}

// TestExportFitsAnAnswer: an export larger than an answer is refused before it is read
// completely, and a transport that streams gets all of it.
func TestExportFitsAnAnswer(t *testing.T) {
	of := ""
	s, _ := service(t, nil)
	s.Data = keeper{&of}
	op := Find(DataExport)
	in := Input{By: identity.Anyone("t"), Params: map[string]string{"user": "bob", "format": "csv"}}
	for _, limit := range []int64{100, 310} { // the data alone has 300 bytes
		_, err := s.Do(dispatch.WithAnswer(t.Context(), dispatch.Answer{Limit: limit}), op, in)
		failure(t, err, "too_large", 413, "GET /v1/data/export")
	}
	reply, err := s.Do(dispatch.WithAnswer(t.Context(), dispatch.Answer{Limit: 400}), op, in)
	if err != nil || !strings.HasPrefix(string(reply.Body), `{"format":"csv","data":"csvcsv`) {
		t.Errorf("%s, %v", reply.Body, err)
	}
	var media string
	var out strings.Builder
	if err := s.StreamExport(t.Context(), op, in, func(kind string) { media = kind }, &out); err != nil || out.Len() != 300 ||
		!strings.HasPrefix(media, "text/csv") {
		t.Errorf("streamed %d bytes of %s, %v", out.Len(), media, err)
	}
	err = s.StreamExport(t.Context(), op, Input{By: as("ada", "", identity.Agent)}, func(string) { t.Error("it began") }, &out)
	failure(t, err, "forbidden", 403, "needs the role")
}
