package pdf

import (
	"cmp"
	"regexp"
	"time"
)

// dated matches a PDF date, such as D:20240229233000+02'00'; everything after the year
// may be missing.
var dated = regexp.MustCompile(`^(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+-])(\d\d)(?:'?(\d\d))?'?|Z.*)?$`)

// date converts a date of a document to RFC 3339, and returns an invalid one unchanged.
// A date without a zone is read as UTC.
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
