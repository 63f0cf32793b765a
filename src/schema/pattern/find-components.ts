/** Returns the strongly connected component of each node (Tarjan 1972, without recursion). */
export function findComponents<T>(
  nodes: readonly T[],
  edgesOf: (node: T) => readonly T[],
): ReadonlyMap<T, T> {
  const component = new Map<T, T>();
  const order = new Map<T, number>();
  const low = new Map<T, number>();
  const stack: T[] = [];
  let count = 0;
  const lower = (node: T, to: number = Infinity): void => {
    low.set(node, Math.min(low.get(node) ?? Infinity, to));
  };
  for (const start of nodes) {
    if (order.has(start)) continue;
    const open: { readonly node: T; readonly edges: readonly T[]; next: number }[] = [];
    const enter = (node: T): void => {
      order.set(node, count);
      low.set(node, count);
      count += 1;
      stack.push(node);
      open.push({ node, edges: edgesOf(node), next: 0 });
    };
    enter(start);
    for (let top = open.at(-1); top; top = open.at(-1)) {
      const { node } = top;
      const target = top.edges[top.next++];
      if (target === undefined) {
        open.pop();
        const outer = open.at(-1)?.node;
        if (outer !== undefined) lower(outer, low.get(node));
        if (low.get(node) !== order.get(node)) continue;
        for (let member = stack.pop(); member !== undefined; member = stack.pop()) {
          component.set(member, node);
          if (member === node) break;
        }
      } else if (!order.has(target)) enter(target);
      else if (!component.has(target)) lower(node, order.get(target));
    }
  }
  return component;
}
