// Package network lists the categories of tools that use hosts outside the
// platform: pages, mail, models, translators, weather.
package network

import (
	"github.com/helve-dev/helve/internal/tools/email"
	"github.com/helve-dev/helve/internal/tools/network/dataextraction"
	"github.com/helve-dev/helve/internal/tools/network/translation"
	"github.com/helve-dev/helve/internal/tools/network/weather"
	"github.com/helve-dev/helve/internal/tools/webapi"
	"github.com/helve-dev/helve/tool"
)

// Sets returns the sets of the categories.
func Sets() []*tool.Set {
	return []*tool.Set{
		dataextraction.Set,
		translation.Set,
		weather.Set,
		email.Set,
		webapi.Set,
	}
}
