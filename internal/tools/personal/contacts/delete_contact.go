package contacts

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/tool"
)

type deleteArgs struct {
	ContactID string `json:"contactId" doc:"The id of the contact, as list_contacts shows it." min:"1" max:"64"`
}

type deleteResult struct {
	Message string `json:"message"`
	Deleted view   `json:"deleted" doc:"The contact as it was."`
}

var _ = tool.Add(Set, tool.Spec[deleteArgs, *deleteResult]{
	Name:          "delete_contact",
	Description:   "Delete a contact for ever, and return what was deleted.",
	Tags:          []string{"remove contact", "delete contact"},
	Example:       `{"contactId":"k3f9q2x7m5ab"}`,
	Risk:          tool.Medium,
	Mutates:       true,
	Destructive:   true,
	Transactional: true,
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{tool.NotFound},
	Timeout:       timeout,
	Check: func(ctx context.Context, call *tool.Call, args deleteArgs) error {
		_, err := find(ctx, call, args.ContactID) // nobody is asked about an id that does not exist
		return err
	},
	Run: deleteContact,
})

func deleteContact(ctx context.Context, call *tool.Call, args deleteArgs) (*deleteResult, error) {
	r, err := find(ctx, call, args.ContactID)
	if err != nil {
		return nil, err
	}
	if err := Collection.Delete(ctx, call.Store, r); err != nil {
		return nil, err
	}
	return &deleteResult{Message: fmt.Sprintf("Contact deleted: %q.", r.Value.Name), Deleted: show(r)}, nil
}
