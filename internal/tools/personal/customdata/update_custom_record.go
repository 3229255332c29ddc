package customdata

import (
	"context"
	"fmt"
	"strings"

	"github.com/helve-dev/helve/tool"
)

type updateArgs struct {
	recordArgs

	Data tool.Object `json:"data" doc:"The new values by the names of their columns; other columns keep theirs, and null removes a value."`
}

type updateResult struct {
	Message string      `json:"message"`
	Record  tool.Object `json:"record" doc:"The id, the value of each column that has one, _createdAt and _updatedAt."`
	Changed []string    `json:"changed" doc:"The columns whose values changed."`
}

var _ = tool.Add(Set, tool.Spec[updateArgs, *updateResult]{
	Name: "update_custom_record",
	Description: "Change values of one record of the person's tables, by its id, and return the record with the names of the columns " +
		"that changed.",
	Tags:          []string{"update record", "edit", "change"},
	Example:       `{"table":"reading_list","recordId":"k3f9q2x7m5ab-k3f9q2x7m5ab","data":{"finished":true}}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Idempotent:    true,
	Transactional: true,
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{tool.NotFound},
	Timeout:       timeout,
	Run:           updateRecord,
})

func updateRecord(ctx context.Context, call *tool.Call, args updateArgs) (*updateResult, error) {
	if err := change(ctx, call); err != nil {
		return nil, err
	}
	t, row, err := findRecord(ctx, call, args.Table, args.RecordID)
	if err != nil {
		return nil, err
	}
	given, err := t.Value.given("data", args.Data)
	if err != nil {
		return nil, err
	}
	if len(given) == 0 {
		return nil, tool.Fail(tool.ValidationError,
			"nothing to change was given: name at least one column in data; describe_custom_table shows the columns")
	}
	v, err := t.Value.read(row.Doc)
	if err != nil {
		return nil, err
	}
	fresh := values{}
	changed := []string{}
	for _, c := range t.Value.Columns {
		raw, ok := given[c.Number]
		if !ok || string(raw) == string(v[c.Number]) {
			continue
		}
		changed = append(changed, c.Name)
		v[c.Number], fresh[c.Number] = raw, raw
	}
	if len(changed) == 0 {
		return &updateResult{
			Message: fmt.Sprintf("The record of %s is like that already; nothing changed.", t.Value.Name),
			Record:  showRecord(t, row, v),
			Changed: changed,
		}, nil
	}
	if err := t.Value.complete("data", v); err != nil {
		return nil, err
	}
	if err := checkUnique(ctx, call, t, fresh, row.ID); err != nil {
		return nil, prefixed("data", err)
	}
	doc, err := t.Value.document(v)
	if err != nil {
		return nil, err
	}
	if row, err = call.Store.Update(ctx, shape(t), row.ID, row.Revision, doc); err != nil {
		return nil, err
	}
	return &updateResult{
		Message: fmt.Sprintf("Record of %s updated (%s).", t.Value.Name, strings.Join(changed, ", ")),
		Record:  showRecord(t, row, v),
		Changed: changed,
	}, nil
}
