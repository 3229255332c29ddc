package outbox

import (
	"errors"
	"net/textproto"
	"strconv"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// Codes of replies (RFC 5321, 4.2.3; RFC 4954, 4.7.x).
const (
	closing       = 421
	weakMechanism = 534
	badLogin      = 535
	loginRequired = 530
	tooLarge      = 552
)

// explain returns the error for a failure before the mail was taken.
func (s *session) explain(err error) error {
	reply, ok := errors.AsType[*textproto.Error](err)
	if _, own := errors.AsType[*tool.Error](err); own || !ok {
		return s.conn.Explain(err)
	}
	said := s.server.Clean(strconv.Itoa(reply.Code) + " " + reply.Msg)
	switch {
	case reply.Code == badLogin || reply.Code == loginRequired || reply.Code == weakMechanism:
		return s.server.Refused(said, err)
	case reply.Code >= 500 && reply.Code == tooLarge:
		return tool.Fail(tool.FileTooLarge, "%s refused the mail as too large (%s); nothing was sent",
			s.server.Address(), said).Because(s.server.Quiet(err))
	case reply.Code >= 500 && reply.Code < 600:
		return tool.Fail(tool.ExecutionError, "%s refused the mail (%s); nothing was sent", s.server.Address(), said).Because(s.server.Quiet(err))
	case reply.Code >= 400 && reply.Code < 500:
		return tool.Fail(tool.NetworkError, "%s cannot take the mail now (%s); nothing was sent; try again later",
			s.server.Address(), said).Because(s.server.Quiet(err))
	}
	return s.server.Senseless(err)
}

// shownRefused bounds the refused recipients that are shown.
const shownRefused = 10

// refusedRecipients returns the error for recipients that the server does not take.
func (s *session) refusedRecipients(refused []string, all int, last error) error {
	kind, advice := tool.ExecutionError, "correct or leave out these recipients"
	if reply, ok := errors.AsType[*textproto.Error](last); ok && reply.Code < 500 {
		kind, advice = tool.NetworkError, "try again later"
	}
	more := ""
	if n := len(refused) - shownRefused; n > 0 {
		more = " and " + strconv.Itoa(n) + " more"
	}
	return tool.Fail(kind, "%s refused %d of %d recipients, so nothing was sent: %s%s; %s",
		s.server.Address(), len(refused), all, strings.Join(refused[:min(len(refused), shownRefused)], ", "), more,
		advice).Because(s.server.Quiet(last))
}

// replyCode returns the code of the reply that caused an error; 0 if there was none.
func replyCode(err error) int {
	if reply, ok := errors.AsType[*textproto.Error](err); ok {
		return reply.Code
	}
	return 0
}
