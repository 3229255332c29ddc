package customdata

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestBatchAddCustomRecords(t *testing.T) {
	call := withBooks(t)
	batch := func(records, more string) string { return `{"table":"books","records":` + records + more + `}` }
	got := play[batchResult](t, call, "batch_add_custom_records", batch(`[{"title":"one","isbn":"1"},{"title":"two"}]`, ""))
	if got.Message != "Added 2 record(s) to books." || got.Count != 2 || text(t, got.Records[0], "title") != "one" ||
		text(t, got.Records[1], "title") != "two" || got.Results != nil {
		t.Errorf("result %+v", got)
	}
	bad := `[{"title":"three","isbn":"3"},{"isbn":"4"},{"title":"x","isbn":"1"},{"title":"x","isbn":"3"},7,{"title":"x","pages":"many"},{"title":"six"}]`
	full := `[` + strings.Repeat(`{"title":"x"},`, 99) + `{"title":9}]`
	tooltest.Run(t, Set, "batch_add_custom_records", call, []tooltest.Case{
		{Name: "all or none", Args: batch(bad, ""), Fails: tool.ValidationError, Message: "item 1"},
		{Name: "the last of 100", Args: batch(full, ""), Fails: tool.ValidationError, Message: "item 99"},
		{
			Name:    "taken in the batch",
			Args:    batch(`[{"title":"a","isbn":"9"},{"title":"b","isbn":"9"}]`, ""),
			Fails:   tool.ValidationError,
			Message: `isbn must be unique, and "9" is taken: item 0 has it`,
		},
		{Name: "empty", Args: batch(`[]`, ""), Fails: tool.ValidationError, Message: "1 to 100"},
		{
			Name:    "too many",
			Args:    batch(`[`+strings.Repeat(`{"title":"x"},`, 100)+`{"title":"x"}]`, ""),
			Fails:   tool.ValidationError,
			Message: "not 101",
		},
		{Name: "no list", Args: batch(`"x"`, ""), Fails: tool.ValidationError, Message: "records"},
		{Name: "missing", Args: `{"table":"books"}`, Fails: tool.ValidationError, Message: "records"},
	})
	if got := play[listResult](t, call, "list_custom_records", `{"table":"books","limit":20}`).Total; got != 2 {
		t.Fatalf("%d records are stored, want 2", got)
	}
	each := play[batchResult](t, call, "batch_add_custom_records", batch(bad, `,"atomic":false`))
	if each.Count != 2 || each.Message != "Added 2 of 7 record(s) to books; results has the outcome of each." ||
		text(t, each.Records[1], "title") != "six" {
		t.Errorf("each by itself: %+v", each)
	}
	var outcomes []string
	for _, o := range each.Results {
		outcomes = append(outcomes, o.Status+" "+o.ErrorType)
	}
	wrong := "error validation_error"
	if diff := cmp.Diff([]string{"success ", wrong, wrong, wrong, wrong, wrong, "success "}, outcomes); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if last := each.Results[6]; last.ID != text(t, each.Records[1], "id") || !strings.Contains(each.Results[5].Message, "record.pages") {
		t.Errorf("results %+v", each.Results)
	}
	unknownTable(t, "batch_add_custom_records", `,"records":[{"title":"x"}]`)
}
