// Package contacts holds the tools for the people whom a person knows.
package contacts

import (
	"context"
	"net/mail"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/dates"
	"github.com/helve-dev/helve/internal/lib/entry"
	"github.com/helve-dev/helve/tool"
)

// Set is every tool in this package; each file adds its own.
var Set = tool.NewSet("Contacts", "contacts")

const timeout = 30 * time.Second

// Contact is a contact in the store.
type Contact struct {
	Name         string `json:"name" store:"search"`
	Email        string `json:"email,omitempty" store:"search"`
	Phone        string `json:"phone,omitempty"`
	Company      string `json:"company,omitempty" store:"search,index"`
	JobTitle     string `json:"jobTitle,omitempty"`
	Relationship string `json:"relationship,omitempty" store:"index"`
	// Birthday is a day, YYYY-MM-DD.
	Birthday   string `json:"birthday,omitempty"`
	Address    string `json:"address,omitempty"`
	Notes      string `json:"notes,omitempty"`
	IsFavorite bool   `json:"isFavorite,omitempty" store:"index"`
}

// Collection holds the contacts of a person.
var Collection = tool.NewCollection[Contact]("contacts")

// view is a contact as a model sees it.
type view struct {
	ID           string `json:"id" doc:"For the contactId of other tools."`
	Name         string `json:"name"`
	Email        string `json:"email,omitempty"`
	Phone        string `json:"phone,omitempty"`
	Company      string `json:"company,omitempty"`
	JobTitle     string `json:"jobTitle,omitempty"`
	Relationship string `json:"relationship,omitempty"`
	Birthday     string `json:"birthday,omitempty" doc:"YYYY-MM-DD."`
	Address      string `json:"address,omitempty"`
	Notes        string `json:"notes,omitempty"`
	IsFavorite   bool   `json:"isFavorite"`
	CreatedAt    string `json:"createdAt"`
	UpdatedAt    string `json:"updatedAt"`
}

func show(r tool.Record[Contact]) view {
	v := r.Value
	return view{
		ID: r.ID, Name: v.Name, Email: v.Email, Phone: v.Phone, Company: v.Company, JobTitle: v.JobTitle, Relationship: v.Relationship,
		Birthday: v.Birthday, Address: v.Address, Notes: v.Notes, IsFavorite: v.IsFavorite,
		CreatedAt: r.CreatedAt.Format(time.RFC3339), UpdatedAt: r.UpdatedAt.Format(time.RFC3339),
	}
}

// one is the result of a tool that deals with one contact.
type one struct {
	Message string `json:"message"`
	Contact view   `json:"contact"`
}

// Input is a new contact.
type Input struct {
	Name         string `json:"name" doc:"The full name." min:"1"`
	Email        string `json:"email,omitempty" doc:"The email address, such as anna@example.com."`
	Phone        string `json:"phone,omitempty" doc:"The phone number."`
	Company      string `json:"company,omitempty" doc:"The company or organisation."`
	JobTitle     string `json:"jobTitle,omitempty" doc:"The position there."`
	Relationship string `json:"relationship,omitempty" doc:"What the contact is to the person, such as friend, family or colleague."`
	Birthday     string `json:"birthday,omitempty" doc:"The birthday, YYYY-MM-DD."`
	Address      string `json:"address,omitempty" doc:"The postal address."`
	Notes        string `json:"notes,omitempty" doc:"Anything else to remember."`
	IsFavorite   bool   `json:"isFavorite,omitempty" doc:"Whether the contact is a favorite."`
}

// Contact returns the contact to store, or what is wrong with the input.
func (in Input) Contact() (Contact, error) {
	v := Contact{
		Name: in.Name, Email: strings.TrimSpace(in.Email), Phone: in.Phone, Company: in.Company, JobTitle: in.JobTitle,
		Relationship: in.Relationship, Address: in.Address, Notes: in.Notes, IsFavorite: in.IsFavorite,
	}
	if err := v.check(); err != nil {
		return v, err
	}
	if in.Birthday == "" {
		return v, nil
	}
	day, err := dates.Day(in.Birthday)
	if err != nil {
		return v, tool.Fail(tool.ValidationError, "birthday: %s", tool.AsError(err).Msg)
	}
	v.Birthday = day
	return v, nil
}

// maxEmail is the greatest length of an email address, by RFC 5321.
const maxEmail = 254

// check returns what is wrong with the texts of a contact.
func (v *Contact) check() error {
	if err := entry.Required("name", v.Name); err != nil {
		return err
	}
	if v.Email != "" {
		if at, err := mail.ParseAddress(v.Email); err != nil || at.Address != v.Email || len(v.Email) > maxEmail {
			return tool.Fail(tool.ValidationError, "email is not an address of at most %d characters; write it as name@example.com",
				maxEmail).Because(err)
		}
	}
	return entry.Fit(
		entry.Text{Name: "phone", Value: v.Phone}, entry.Text{Name: "company", Value: v.Company}, entry.Text{Name: "jobTitle", Value: v.JobTitle},
		entry.Text{Name: "relationship", Value: v.Relationship}, entry.Text{Name: "address", Value: v.Address},
		entry.Text{Name: "notes", Value: v.Notes},
	)
}

// find returns a contact by its id.
func find(ctx context.Context, call *tool.Call, id string) (tool.Record[Contact], error) {
	r, err := Collection.Get(ctx, call.Store, strings.TrimSpace(id))
	if e := tool.AsError(err); e != nil && e.Kind == tool.NotFound {
		return r, tool.Fail(tool.NotFound, "Contact not found: %s; list_contacts shows the contacts with their ids", id)
	}
	return r, err
}
