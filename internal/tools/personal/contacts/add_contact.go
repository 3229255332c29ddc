package contacts

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/tool"
)

var _ = tool.Add(Set, tool.Spec[Input, *one]{
	Name:         "add_contact",
	Description:  "Save a person with phone, email, birthday and other details to the contacts, and return the contact with its id.",
	Tags:         []string{"contact", "phone", "number", "add", "save contact", "person"},
	Example:      `{"name":"Anna Schmidt","email":"anna@example.com","phone":"+49 30 123456","relationship":"friend","birthday":"1990-05-17"}`,
	Risk:         tool.Low,
	Confirmation: tool.ConfirmNever,
	Mutates:      true,

	Transactional: true,
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{},
	Timeout:       timeout,
	Run:           addContact,
})

func addContact(ctx context.Context, call *tool.Call, in Input) (*one, error) {
	v, err := in.Contact()
	if err != nil {
		return nil, err
	}
	r, err := Collection.Insert(ctx, call.Store, v)
	if err != nil {
		return nil, err
	}
	return &one{Message: fmt.Sprintf("Contact added: %q.", v.Name), Contact: show(r)}, nil
}
