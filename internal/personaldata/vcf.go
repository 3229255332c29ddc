package personaldata

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/emersion/go-vcard"

	"github.com/helve-dev/helve/internal/backend/store"
	"github.com/helve-dev/helve/internal/tools/personal/contacts"
)

// Fields of our own, for values that vCard has no field for.
const (
	favorite = "X-HELVE-FAVORITE"
	created  = "X-HELVE-CREATED"
	// address is the address as one text.
	address = "X-HELVE-ADDRESS"
)

// writeVCF writes contacts as vCard 4.
func writeVCF(w io.Writer, items Items) error {
	out := bufio.NewWriter(w)
	enc := vcard.NewEncoder(out)
	err := each(contacts.Collection, items, func(item *store.Item, v *contacts.Contact) error {
		card := vcard.Card{}
		card.SetValue(vcard.FieldVersion, "4.0")
		for _, f := range []struct{ name, value string }{
			{vcard.FieldUID, item.ID}, {vcard.FieldFormattedName, v.Name}, {vcard.FieldEmail, v.Email}, {vcard.FieldTelephone, v.Phone},
			{vcard.FieldOrganization, v.Company}, {vcard.FieldTitle, v.JobTitle}, {vcard.FieldCategories, v.Relationship},
			{vcard.FieldBirthday, strings.ReplaceAll(v.Birthday, "-", "")}, {vcard.FieldNote, v.Notes},
		} {
			if f.value != "" {
				card.SetValue(f.name, f.value)
			}
		}
		if v.Address != "" {
			card.SetAddress(&vcard.Address{StreetAddress: strings.ReplaceAll(v.Address, ";", ",")}) // the library escapes no semicolon
			card.SetValue(address, v.Address)
		}
		if v.IsFavorite {
			card.SetValue(favorite, "1")
		}
		if !item.UpdatedAt.IsZero() {
			card.SetRevision(item.UpdatedAt)
			card.SetValue(created, item.CreatedAt.Format(time.RFC3339))
		}
		return enc.Encode(card)
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

const vcardBegin = "BEGIN:VCARD"

func readVCF(r io.Reader, receive func(*store.Item) error) error {
	in := bufio.NewReader(r)
	begin, err := in.Peek(len(vcardBegin))
	if len(begin) == 0 && errors.Is(err, io.EOF) {
		return nil
	}
	if !strings.EqualFold(string(begin), vcardBegin) {
		return errors.Join(fmt.Errorf("card 1: the file does not begin with %s", vcardBegin), err)
	}
	dec := vcard.NewDecoder(in)
	for n := 1; ; n++ {
		card, err := dec.Decode()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("card %d: %w", n, err)
		}
		item, err := contactOf(card)
		if err == nil {
			err = receive(item)
		}
		if err != nil {
			return fmt.Errorf("card %d: %w", n, err)
		}
	}
}

func contactOf(card vcard.Card) (*store.Item, error) {
	in := contacts.Input{
		Name: card.PreferredValue(vcard.FieldFormattedName), Email: card.PreferredValue(vcard.FieldEmail),
		Phone: strings.TrimPrefix(card.PreferredValue(vcard.FieldTelephone), "tel:"), Company: strings.TrimRight(card.PreferredValue(vcard.FieldOrganization), ";"),
		JobTitle: card.PreferredValue(vcard.FieldTitle), Relationship: card.Value(vcard.FieldCategories),
		Notes: card.Value(vcard.FieldNote), IsFavorite: card.Value(favorite) == "1",
	}
	for _, layout := range []string{"20060102", time.DateOnly} { // other forms, without a year, are no day
		if day, err := time.Parse(layout, card.Value(vcard.FieldBirthday)); err == nil {
			in.Birthday = day.Format(time.DateOnly)
		}
	}
	if in.Address = card.Value(address); in.Address == "" && card.Address() != nil {
		a := card.Address()
		var parts []string
		for _, part := range []string{a.PostOfficeBox, a.ExtendedAddress, a.StreetAddress, a.PostalCode, a.Locality, a.Region, a.Country} {
			if part != "" {
				parts = append(parts, part)
			}
		}
		in.Address = strings.Join(parts, ", ")
	}
	v, err := in.Contact()
	if err != nil {
		return nil, err
	}
	item, err := itemOf(contacts.Collection, idOf(cmp.Or(card.Value(vcard.FieldUID), in.Name+"\x00"+in.Email)), v)
	if err == nil {
		item.UpdatedAt, _ = card.Revision() // the zero time if there is none
		item.CreatedAt, _ = time.Parse(time.RFC3339, card.Value(created))
	}
	return item, err
}
