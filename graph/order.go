package graph

import "fmt"

// CycleError says that nodes depend on each other in a ring.
type CycleError struct {
	Graph string
	Nodes []string // labels, each reading an output of the next; the last reads the first
}

func (e *CycleError) Error() string {
	return fmt.Sprintf("graph %q has a cycle through nodes %q", e.Graph, e.Nodes)
}

// Order returns the live nodes so that each comes after those whose values it
// reads, explicitly or through its subgraphs. Nodes that are in such an order by
// id keep it, and the result depends on nothing else. It fails with *CycleError.
// The cost is O(nodes + edges).
func (g *Graph) Order() ([]NodeID, error) {
	const (
		unseen = iota
		open
		done
	)
	state := make([]uint8, len(g.nodes))
	order := make([]NodeID, 0, g.live)
	type frame struct {
		n    *Node
		next int // next input to look at
	}
	var stack []frame
	for _, root := range g.nodes {
		if root == nil || state[root.ID] != unseen {
			continue
		}
		state[root.ID] = open
		stack = append(stack[:0], frame{n: root})
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			if f.next == len(f.n.inputs)+len(f.n.implicit) {
				state[f.n.ID] = done
				order = append(order, f.n.ID)
				stack = stack[:len(stack)-1]
				continue
			}
			var in ValueID
			if f.next < len(f.n.inputs) {
				in = f.n.inputs[f.next]
			} else {
				in = f.n.implicit[f.next-len(f.n.inputs)]
			}
			f.next++
			if in == NoValue {
				continue
			}
			p := g.values[in].producer
			if p == NoNode {
				continue
			}
			switch state[p] {
			case unseen:
				state[p] = open
				stack = append(stack, frame{n: g.nodes[p]})
			case open:
				err := &CycleError{Graph: g.Name}
				for i := len(stack) - 1; i >= 0; i-- {
					err.Nodes = append(err.Nodes, stack[i].n.Label())
					if stack[i].n.ID == p {
						break
					}
				}
				return nil, err
			}
		}
	}
	return order, nil
}
