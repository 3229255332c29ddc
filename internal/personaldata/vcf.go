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

	"github.com/helve-dev/helve/internal/ports/store"
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
	enc := vcard.NewEncoder(&folder{out: out})
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

// cardName is the name of the component of a card.
const cardName = "VCARD"

func readVCF(r io.Reader, to receiver) error {
	lines := newContentLines(r)
	for n := 1; ; n++ {
		line, err := lines.read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if begins, name, ok := boundary(line.text); !ok || !begins || name != cardName {
			if n == 1 {
				return fmt.Errorf("line %d: the file does not begin with BEGIN:VCARD", line.number)
			}
			to.skip(line.number, "", errors.New("it stands outside BEGIN:VCARD and END:VCARD"))
			continue
		}
		body, err := lines.rest(cardName)
		var item *store.Item
		name := ""
		if err == nil {
			err = to.catch(func() (err error) {
				item, name, err = cardOf(body)
				return err
			})
		}
		if err != nil {
			to.skip(line.number, name, err)
			if err := lines.in.Err(); err != nil {
				return err
			}
			continue
		}
		if err := to.item(line.number, name, item); err != nil {
			return err
		}
	}
}

// cardOf parses the lines of a card.
func cardOf(body []contentLine) (item *store.Item, name string, err error) {
	var text strings.Builder
	text.WriteString("BEGIN:VCARD\r\n")
	for _, line := range body {
		text.WriteString(line.text + "\r\n")
	}
	text.WriteString("END:VCARD\r\n")
	card, err := vcard.NewDecoder(strings.NewReader(text.String())).Decode()
	if err != nil {
		return nil, "", err
	}
	name = nameOf(card)
	item, err = contactOf(card, name)
	return item, name, err
}

// nameOf returns the name of a card: the shown one, or its parts, or what else
// identifies it. Cards of phones often have only some of them.
func nameOf(card vcard.Card) string {
	if name := strings.TrimSpace(card.PreferredValue(vcard.FieldFormattedName)); name != "" {
		return name
	}
	if n := card.Name(); n != nil {
		parts := strings.Fields(strings.Join([]string{n.HonorificPrefix, n.GivenName, n.AdditionalName, n.FamilyName, n.HonorificSuffix}, " "))
		if len(parts) > 0 {
			return strings.Join(parts, " ")
		}
	}
	for _, field := range []string{vcard.FieldNickname, vcard.FieldOrganization, vcard.FieldEmail, vcard.FieldTelephone} {
		if name := strings.Trim(card.PreferredValue(field), "; "); name != "" {
			return strings.TrimPrefix(name, "tel:")
		}
	}
	return ""
}

func contactOf(card vcard.Card, name string) (*store.Item, error) {
	in := contacts.Input{
		Name: name, Email: card.PreferredValue(vcard.FieldEmail),
		Phone:    strings.TrimPrefix(card.PreferredValue(vcard.FieldTelephone), "tel:"),
		Company:  strings.TrimRight(card.PreferredValue(vcard.FieldOrganization), ";"),
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
