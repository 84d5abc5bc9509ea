// Package analyzers lists the analyzers that kaudit has.
package analyzers

import (
	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analyzers/authfailure"
	"github.com/kaudit/kaudit/analyzers/blockeddrain"
	"github.com/kaudit/kaudit/analyzers/endpointflap"
	"github.com/kaudit/kaudit/analyzers/heartbeatgap"
	"github.com/kaudit/kaudit/analyzers/hijackedlatency"
	"github.com/kaudit/kaudit/analyzers/hotloop"
	"github.com/kaudit/kaudit/analyzers/leaselost"
	panics "github.com/kaudit/kaudit/analyzers/panic"
	"github.com/kaudit/kaudit/analyzers/requesttimeout"
	"github.com/kaudit/kaudit/analyzers/servererror"
	"github.com/kaudit/kaudit/analyzers/slowrequest"
	"github.com/kaudit/kaudit/analyzers/stuckwatch"
	"github.com/kaudit/kaudit/analyzers/throttling"
	"github.com/kaudit/kaudit/analyzers/watchexpiry"
	"github.com/kaudit/kaudit/analyzers/watchstall"
)

// All returns the analyzers in order of name.
func All() []*analysis.Analyzer {
	return []*analysis.Analyzer{
		authfailure.New(),
		blockeddrain.New(),
		endpointflap.New(),
		heartbeatgap.New(),
		hijackedlatency.New(),
		hotloop.New(),
		leaselost.New(),
		panics.New(),
		requesttimeout.New(),
		servererror.New(),
		slowrequest.New(),
		stuckwatch.New(),
		throttling.New(),
		watchexpiry.New(),
		watchstall.New(),
	}
}
