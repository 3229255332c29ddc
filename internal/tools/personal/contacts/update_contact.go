package contacts

import (
	"context"
	"fmt"
	"strings"

	"github.com/helve-dev/helve/tool"
)

type updateArgs struct {
	ContactID string  `json:"contactId" doc:"The id of the contact, as list_contacts shows it." min:"1" max:"64"`
	Name      *string `json:"name,omitempty" doc:"The new name." min:"1"`
	Email     *string `json:"email,omitempty" doc:"The new email address; an empty text removes it."`
	Phone     *string `json:"phone,omitempty" doc:"The new phone number; an empty text removes it."`
	Company   *string `json:"company,omitempty" doc:"The new company; an empty text removes it."`
	Notes     *string `json:"notes,omitempty" doc:"The new notes; an empty text removes them."`
}

type updateResult struct {
	Message string   `json:"message"`
	Contact view     `json:"contact"`
	Changed []string `json:"changed" doc:"The parameters that changed something."`
}

var _ = tool.Add(Set, tool.Spec[updateArgs, *updateResult]{
	Name:          "update_contact",
	Description:   "Change the name, email, phone, company or notes of a contact, and return it with the names of what changed.",
	Tags:          []string{"contact update", "edit contact", "change contact"},
	Example:       `{"contactId":"k3f9q2x7m5ab","phone":"+49 30 654321"}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Idempotent:    true,
	Transactional: true,
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{tool.NotFound},
	Timeout:       timeout,
	Run:           updateContact,
})

func updateContact(ctx context.Context, call *tool.Call, args updateArgs) (*updateResult, error) {
	r, err := find(ctx, call, args.ContactID)
	if err != nil {
		return nil, err
	}
	if args.Email != nil {
		*args.Email = strings.TrimSpace(*args.Email)
	}
	given, changed := false, []string{}
	for _, f := range []struct {
		name string
		now  *string
		text *string
	}{
		{"name", args.Name, &r.Value.Name}, {"email", args.Email, &r.Value.Email}, {"phone", args.Phone, &r.Value.Phone},
		{"company", args.Company, &r.Value.Company}, {"notes", args.Notes, &r.Value.Notes},
	} {
		if f.now == nil {
			continue
		}
		given = true
		if *f.now != *f.text {
			*f.text = *f.now
			changed = append(changed, f.name)
		}
	}
	if !given {
		return nil, tool.Fail(tool.ValidationError, "nothing to change was given: name at least one of name, email, phone, company, notes")
	}
	if err := r.Value.check(); err != nil {
		return nil, err
	}
	if len(changed) == 0 {
		return &updateResult{
			Message: fmt.Sprintf("Contact %q is like that already; nothing changed.", r.Value.Name),
			Contact: show(r),
			Changed: changed,
		}, nil
	}
	if r, err = Collection.Update(ctx, call.Store, r); err != nil {
		return nil, err
	}
	return &updateResult{
		Message: fmt.Sprintf("Contact updated: %q (%s).", r.Value.Name, strings.Join(changed, ", ")),
		Contact: show(r),
		Changed: changed,
	}, nil
}
