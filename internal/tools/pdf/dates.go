package pdf

import (
	"cmp"
	"regexp"
	"time"
)

// dated is a date as PDF writes it, such as D:20240229233000+02'00'; all after the
// year may be missing.
var dated = regexp.MustCompile(`^(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+-])(\d\d)(?:'?(\d\d))?'?|Z.*)?$`)

// date turns a date of a document into RFC 3339, and leaves what is none as it is. One
// without a zone is taken for UTC.
func date(said string) string {
	p := dated.FindStringSubmatch(said)
	if p == nil {
		return said
	}
	zone := "Z"
	if p[7] != "" {
		zone = p[7] + p[8] + ":" + cmp.Or(p[9], "00")
	}
	day := p[1] + "-" + cmp.Or(p[2], "01") + "-" + cmp.Or(p[3], "01")
	at, err := time.Parse(time.RFC3339, day+"T"+cmp.Or(p[4], "00")+":"+cmp.Or(p[5], "00")+":"+cmp.Or(p[6], "00")+zone)
	if err != nil {
		return said
	}
	return at.Format(time.RFC3339)
}
