package customdata

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/lib/batch"
	"github.com/helve-dev/helve/tool"
)

type batchArgs struct {
	Table   string        `json:"table" doc:"The name or id of the table." min:"1" max:"100"`
	Records []tool.Object `json:"records" doc:"The records, 1 to 100, each with its values by the names of their columns." min:"1" max:"100"`
	Atomic  *bool         `json:"atomic,omitempty" doc:"Whether all records are added or none; if false, each is added that can be. The default is true."`
}

type batchResult struct {
	Message string          `json:"message"`
	Records []tool.Object   `json:"records" doc:"The records that were added, each with its id."`
	Count   int             `json:"count" doc:"The number that was added."`
	Results []batch.Outcome `json:"results,omitempty" doc:"The outcome of each record, where atomic is false."`
}

var _ = tool.Add(Set, tool.Spec[batchArgs, *batchResult]{
	Name: "batch_add_custom_records",
	Description: "Add several records to one of the person's tables in one call, all or none unless atomic is false, and return them with " +
		"their ids.",
	Tags:          []string{"bulk insert", "multiple data"},
	Example:       `{"table":"reading_list","records":[{"title":"The Dispossessed","pages":387},{"title":"Solaris","finished":true}]}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Transactional: true,
	Loose:         []string{"records"},
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{tool.NotFound},
	Timeout:       timeout,
	Run:           batchAddRecords,
})

func batchAddRecords(ctx context.Context, call *tool.Call, args batchArgs) (*batchResult, error) {
	if err := change(ctx, call); err != nil {
		return nil, err
	}
	t, err := findTable(ctx, call, args.Table)
	if err != nil {
		return nil, err
	}
	atomic := args.Atomic == nil || *args.Atomic
	list := make([]values, len(args.Records))
	others := batchValues{}
	res := &batchResult{Records: []tool.Object{}}
	var broken error // a store that fails is not the fault of an item
	outcomes, err := batch.Create(len(list), atomic, func(i int) error {
		const what = "record"
		v, err := t.Value.new(what, args.Records[i])
		if err == nil {
			err = prefixed(what, checkUnique(ctx, call, t, v, ""))
		}
		if err == nil {
			err = prefixed(what, others.add(t, v, i))
		}
		if e := tool.AsError(err); e != nil && e.Kind != tool.ValidationError {
			broken = err
		}
		list[i] = v
		return err
	}, func(i int) (string, error) {
		if broken != nil {
			return "", broken
		}
		shown, id, err := insert(ctx, call, t, list[i])
		res.Records = append(res.Records, shown)
		return id, err
	})
	if broken != nil {
		return nil, broken
	}
	if err != nil {
		return nil, err
	}
	res.Count = len(res.Records)
	res.Message = fmt.Sprintf("Added %d record(s) to %s.", res.Count, t.Value.Name)
	if !atomic {
		res.Results = outcomes
		res.Message = fmt.Sprintf("Added %d of %d record(s) to %s; results has the outcome of each.", res.Count, len(list), t.Value.Name)
	}
	return res, nil
}

// batchValues holds the values that the records of a batch have in unique columns, and the
// record of each.
type batchValues map[string]int

// add adds the values of a record, or returns an error if one of them is there already.
func (b batchValues) add(t table, v values, record int) error {
	keys := map[string]bool{}
	for i := range t.Value.Columns {
		c := &t.Value.Columns[i]
		raw := v[c.Number]
		if !c.compared(raw) {
			continue
		}
		key := fmt.Sprint(c.Number, " ", string(raw))
		if other, ok := b[key]; ok {
			return taken(c, raw, fmt.Sprintf("item %d has it", other))
		}
		keys[key] = true
	}
	for key := range keys {
		b[key] = record
	}
	return nil
}
