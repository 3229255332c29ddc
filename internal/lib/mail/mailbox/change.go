package mailbox

import (
	"github.com/emersion/go-imap/v2"

	"github.com/helve-dev/helve/tool"
)

// Removed is the outcome of removing a mail.
type Removed struct {
	// Folder is that from which the mail was removed.
	Folder string
	// Trash and New are folder and ID of a mail that was moved; New is nil if the server does
	// not tell it.
	Trash string
	New   *ID
	// Marked is set if the mail is only marked as deleted, because the server would remove
	// other mails with it.
	Marked bool
}

// Delete removes a mail from the mailbox.
func (s *Session) Delete(id ID, folder string) (*Removed, error) {
	sum, err := s.Summary(id, folder, true)
	if err != nil {
		return nil, err
	}
	marked, err := s.expunge(id.uid)
	return &Removed{Folder: sum.Folder, Marked: marked}, err
}

// MoveToTrash moves a mail to the trash: the folder of that name, which is made if need be,
// or the server's own if the name is empty.
func (s *Session) MoveToTrash(id ID, folder, trash string) (*Removed, error) {
	sum, err := s.Summary(id, folder, true)
	if err != nil {
		return nil, err
	}
	if trash, err = s.trash(trash); err != nil {
		return nil, err
	}
	if trash == sum.Folder {
		return nil, tool.Fail(tool.ValidationError, "The mail is in the trash (%s) already; set permanent to delete it", trash)
	}
	done := &Removed{Folder: sum.Folder, Trash: trash}
	set := imap.UIDSetNum(id.uid)
	var valid uint32
	var to imap.NumSet
	if caps := s.client.Caps(); caps.Has(imap.CapMove) || caps.Has(imap.CapIMAP4rev2) {
		data, err := s.client.Move(set, trash).Wait()
		if err != nil {
			return nil, s.explain(err)
		}
		valid, to = data.UIDValidity, data.DestUIDs
	} else {
		data, err := s.client.Copy(set, trash).Wait()
		if err != nil {
			return nil, s.explain(err)
		}
		valid, to = data.UIDValidity, data.DestUIDs
		if done.Marked, err = s.expunge(id.uid); err != nil {
			return nil, err
		}
	}
	if uids, ok := to.(imap.UIDSet); ok && count(uids) == 1 {
		done.New = &ID{mark(trash), valid, newest(uids, 1)[0]}
	}
	return done, nil
}

// trash returns the folder for deleted mails.
func (s *Session) trash(name string) (string, error) {
	if name == "" {
		found, err := s.byUse(imap.MailboxAttrTrash, "Trash", "Deleted Items", "Deleted Messages", "INBOX.Trash")
		if err != nil || found != "" {
			return found, err
		}
		name = "Trash"
	}
	found, err := s.Find(name)
	if e := tool.AsError(err); e == nil || e.Kind != tool.NotFound {
		return found, err
	}
	if err := s.client.Create(name, nil).Wait(); err != nil {
		return "", s.explain(err)
	}
	s.folders = nil
	return name, nil
}

// expunge removes one mail of the selected folder. Without UIDPLUS a server removes all mails
// that are marked as deleted; then a folder that has others keeps the mail, marked.
func (s *Session) expunge(uid imap.UID) (marked bool, err error) {
	set := imap.UIDSetNum(uid)
	if err := s.flag(set, imap.FlagDeleted); err != nil {
		return false, err
	}
	if caps := s.client.Caps(); caps.Has(imap.CapUIDPlus) || caps.Has(imap.CapIMAP4rev2) {
		return false, s.done(s.client.UIDExpunge(set).Close())
	}
	data, err := s.client.UIDSearch(&imap.SearchCriteria{Flag: []imap.Flag{imap.FlagDeleted}}, nil).Wait()
	if err != nil {
		return false, s.explain(err)
	}
	if all, _ := data.All.(imap.UIDSet); count(all) != 1 || !all.Contains(uid) {
		return true, nil
	}
	return false, s.done(s.client.Expunge().Close())
}

func (s *Session) done(err error) error {
	if err != nil {
		return s.explain(err)
	}
	return nil
}

// Append stores a mail that was sent in a folder.
func (s *Session) Append(folder string, mail []byte) error {
	name, err := s.Find(folder)
	if err != nil {
		return err
	}
	cmd := s.client.Append(name, int64(len(mail)), &imap.AppendOptions{Flags: []imap.Flag{imap.FlagSeen}})
	_, err = cmd.Write(mail)
	if closed := cmd.Close(); err == nil { // it must be closed in any case
		err = closed
	}
	if err != nil {
		_ = s.conn.Fail(err) // the server may be in the middle of the mail
	}
	if _, waited := cmd.Wait(); waited != nil {
		err = waited
	}
	return s.done(err)
}
