package cluster_test

import (
	"bytes"
	"encoding/json"
	"testing"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/kaudit/kaudit/bench/cluster"
)

func TestEveryLineIsAnEventAndTimeGoesOn(t *testing.T) {
	for _, bodies := range []bool{false, true} {
		c := cluster.New(cluster.Options{Seed: 7, Bodies: bodies, Nodes: 20})
		var last auditv1.Event
		stages := map[auditv1.Stage]int{}
		for range 5000 {
			line := c.Next()
			var e auditv1.Event
			if err := json.Unmarshal(line, &e); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			if e.StageTimestamp.Before(&last.StageTimestamp) {
				t.Fatalf("goes back in time: %s", line)
			}
			if e.StageTimestamp.Before(&e.RequestReceivedTimestamp) {
				t.Fatalf("ends before it begins: %s", line)
			}
			stages[e.Stage]++
			last = e
		}
		if stages["ResponseStarted"] == 0 || stages["ResponseComplete"] == 0 || bodies != (stages["RequestReceived"] == 0) {
			t.Errorf("bodies %t: got stages %v", bodies, stages)
		}
	}
}

func TestEqualSeedsWriteEqualLogs(t *testing.T) {
	write := func(seed uint64) []byte {
		var b bytes.Buffer
		if err := cluster.New(cluster.Options{Seed: seed}).Write(&b, 1<<20); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	if !bytes.Equal(write(1), write(1)) {
		t.Error("seed 1 wrote two logs")
	}
	if bytes.Equal(write(1), write(2)) {
		t.Error("seeds 1 and 2 wrote one log")
	}
}
