package contacts

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/lib/batch"
	"github.com/helve-dev/helve/tool"
)

// item is one contact of a batch. Its error is reported with those of the others.
type item struct {
	Input

	wrong error
}

// UnmarshalJSON implements [json.Unmarshaler].
func (it *item) UnmarshalJSON(data []byte) error {
	it.wrong = batch.Decode(data, &it.Input)
	return nil
}

type batchArgs struct {
	Contacts []item `json:"contacts" doc:"The contacts, 1 to 100." min:"1" max:"100"`
	Atomic   *bool  `json:"atomic,omitempty" doc:"Whether all contacts are added or none; if false, each is added that can be. The default is true."`
}

type batchResult struct {
	Message  string          `json:"message"`
	Contacts []view          `json:"contacts" doc:"The contacts that were added."`
	Count    int             `json:"count" doc:"How many were added."`
	Results  []batch.Outcome `json:"results,omitempty" doc:"The outcome of each contact in the order given, if atomic is false."`
}

var _ = tool.Add(Set, tool.Spec[batchArgs, *batchResult]{
	Name:          "batch_add_contacts",
	Description:   "Save several people to the contacts in one call, all or none unless atomic is false, and return them with their ids.",
	Tags:          []string{"bulk contacts", "multiple contacts"},
	Example:       `{"contacts":[{"name":"Anna Schmidt","email":"anna@example.com"},{"name":"Bob Jones","company":"Acme","relationship":"colleague"}]}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Transactional: true,
	Loose:         []string{"contacts"},
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{},
	Timeout:       timeout,
	Run:           batchAddContacts,
})

func batchAddContacts(ctx context.Context, call *tool.Call, args batchArgs) (*batchResult, error) {
	atomic := args.Atomic == nil || *args.Atomic
	values := make([]Contact, len(args.Contacts))
	res := &batchResult{Contacts: []view{}}
	outcomes, err := batch.Create(len(values), atomic, func(i int) (err error) {
		if args.Contacts[i].wrong != nil {
			return args.Contacts[i].wrong
		}
		values[i], err = args.Contacts[i].Contact()
		return err
	}, func(i int) (string, error) {
		r, err := Collection.Insert(ctx, call.Store, values[i])
		if err == nil {
			res.Contacts = append(res.Contacts, show(r))
		}
		return r.ID, err
	})
	if err != nil {
		return nil, err
	}
	res.Count = len(res.Contacts)
	res.Message = fmt.Sprintf("Added %d contact(s).", res.Count)
	if !atomic {
		res.Results = outcomes
		res.Message = fmt.Sprintf("Added %d of %d contact(s); results has the outcome of each.", res.Count, len(values))
	}
	return res, nil
}
