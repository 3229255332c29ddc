package oauth

import (
	"context"
	"strings"
	"time"
	"unicode"

	"golang.org/x/oauth2"

	"github.com/helve-dev/helve/tool"
)

// Device is the beginning of a connection by a terminal (RFC 8628).
type Device struct {
	// Code is for PollDevice, UserCode for the person, who enters it at Page. Complete is
	// the page with the code in it, if the provider has one.
	Code, UserCode, Page, Complete string
	Interval                       time.Duration
	Expires                        time.Time
}

// The bounds of what a provider may ask for.
const (
	defaultInterval = 5 * time.Second
	maxInterval     = time.Minute
	maxDeviceTime   = 30 * time.Minute
	maxUserCode     = 100
)

// unprintable reports whether a character could do more in a person's terminal than show
// itself.
func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// StartDevice requests a code for the person.
func (p *Provider) StartDevice(ctx context.Context) (Device, error) {
	if p.Device == "" {
		return Device{}, tool.Fail(tool.Unsupported, "%s has no address for terminals (device_url)", p.Title)
	}
	got, err := p.config("", p.TokenAuth).DeviceAuth(p.context(ctx))
	if err != nil {
		return Device{}, p.failure(err)
	}
	d := Device{
		Code: got.DeviceCode, UserCode: got.UserCode, Page: got.VerificationURI, Complete: got.VerificationURIComplete,
		Interval: defaultInterval, Expires: got.Expiry,
	}
	if got.Interval > 0 {
		d.Interval = time.Duration(min(got.Interval, int64(maxInterval/time.Second))) * time.Second
	}
	if most := time.Now().Add(maxDeviceTime); d.Expires.IsZero() || d.Expires.After(most) {
		d.Expires = most
	}
	if d.Code == "" || len(d.Code) > maxToken || !Private(d.Page) || d.Complete != "" && !Private(d.Complete) ||
		d.UserCode == "" || len(d.UserCode) > maxUserCode || strings.ContainsFunc(d.UserCode+d.Page+d.Complete, unprintable) {
		return Device{}, tool.Fail(tool.ExecutionError, "%s answered with a code that cannot be used", p.Title)
	}
	return d, nil
}

// PollDevice returns the tokens if the person has entered the code. [Pending], [Denied] and
// [Gone] tell what else the error says.
func (p *Provider) PollDevice(ctx context.Context, code string) (Token, error) {
	return p.asked(p.request(func(auth string) (*oauth2.Token, error) {
		return p.config("", auth).Exchange(p.context(ctx), "",
			oauth2.SetAuthURLParam("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
			oauth2.SetAuthURLParam("device_code", code),
			oauth2.SetAuthURLParam("client_id", p.ClientID))
	}))
}
