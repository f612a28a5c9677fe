// A map whose methods are one step each, but for those that compute: while they do, other updates
// of the same key wait. The JDK may let updates of other keys wait, too. What goes through all
// entries is a limit.
package java.util.concurrent;

import java.io.Serializable;
import java.util.AbstractMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import tepui.Intrinsics;

public class ConcurrentHashMap<K, V> extends AbstractMap<K, V>
        implements ConcurrentMap<K, V>, Serializable {
    private volatile Node<K, V> first;
    private volatile int count;

    public ConcurrentHashMap() {}

    public ConcurrentHashMap(int capacity) {
        if (capacity < 0) {
            throw new IllegalArgumentException();
        }
    }

    @Override
    public V get(Object key) {
        check(key);
        Intrinsics.beginAtomic();
        Node<K, V> node = find(key);
        V value = node == null ? null : node.value;
        Intrinsics.endAtomic();
        return value;
    }

    @Override
    public V getOrDefault(Object key, V other) {
        V value = get(key);
        return value == null ? other : value;
    }

    @Override
    public boolean containsKey(Object key) {
        return get(key) != null;
    }

    @Override
    public int size() {
        return count;
    }

    @Override
    public boolean isEmpty() {
        return count == 0;
    }

    public long mappingCount() {
        return count;
    }

    @Override
    public V put(K key, V value) {
        return update(key, value, true, false, false);
    }

    @Override
    public V putIfAbsent(K key, V value) {
        return update(key, value, true, true, false);
    }

    @Override
    public V replace(K key, V value) {
        return update(key, value, false, false, false);
    }

    @Override
    public V remove(Object key) {
        return update(key, null, false, false, true);
    }

    @Override
    public boolean replace(K key, V expected, V value) {
        if (expected == null || value == null) {
            throw new NullPointerException();
        }
        return updateIf(key, expected, value);
    }

    @Override
    public boolean remove(Object key, Object expected) {
        check(key);
        return expected != null && updateIf(key, expected, null);
    }

    @Override
    public V computeIfAbsent(K key, Function<? super K, ? extends V> function) {
        check(key);
        check(function);
        Node<K, V> node = claim(key);
        V old = node.value;
        V value = old;
        if (old == null) {
            try {
                value = function.apply(key);
            } catch (Throwable thrown) {
                settle(node, old);
                throw thrown;
            }
        }
        settle(node, value);
        return value;
    }

    @Override
    public V computeIfPresent(K key, BiFunction<? super K, ? super V, ? extends V> function) {
        return compute(key, function, false);
    }

    @Override
    public V compute(K key, BiFunction<? super K, ? super V, ? extends V> function) {
        return compute(key, function, true);
    }

    private V compute(
            K key, BiFunction<? super K, ? super V, ? extends V> function, boolean always) {
        check(key);
        check(function);
        Node<K, V> node = claim(key);
        V old = node.value;
        V value = old;
        if (always || old != null) {
            try {
                value = function.apply(key, old);
            } catch (Throwable thrown) {
                settle(node, old);
                throw thrown;
            }
        }
        settle(node, value);
        return value;
    }

    @Override
    public V merge(K key, V given, BiFunction<? super V, ? super V, ? extends V> function) {
        check(key);
        check(given);
        check(function);
        Node<K, V> node = claim(key);
        V old = node.value;
        V value = given;
        if (old != null) {
            try {
                value = function.apply(old, given);
            } catch (Throwable thrown) {
                settle(node, old);
                throw thrown;
            }
        }
        settle(node, value);
        return value;
    }

    @Override
    public Set<Map.Entry<K, V>> entrySet() {
        Intrinsics.limit("ConcurrentHashMap.entrySet()");
        return null;
    }

    @Override
    public void clear() {
        Intrinsics.limit("ConcurrentHashMap.clear()");
    }

    private static void check(Object o) {
        if (o == null) {
            throw new NullPointerException();
        }
    }

    private Node<K, V> find(Object key) {
        Node<K, V> node = first;
        while (node != null && !(node.key == key || key.equals(node.key))) {
            node = node.next;
        }
        return node;
    }

    /** Waits until nobody computes for this node. */
    private void await(Node<K, V> node) {
        if (node != null && node.computing == Intrinsics.currentThread()) {
            Intrinsics.limit("ConcurrentHashMap: an update while the same key is computed");
        }
        Intrinsics.await(node == null || node.computing == null);
    }

    /** The old value. */
    @SuppressWarnings("unchecked")
    private V update(Object key, V value, boolean adds, boolean onlyNew, boolean removes) {
        check(key);
        if (!removes) {
            check(value);
        }
        Intrinsics.beginAtomic();
        Node<K, V> node = find(key);
        await(node);
        V old = node == null ? null : node.value;
        if (node == null && adds) {
            first = new Node<>((K) key, value, first);
            count++;
        } else if (node != null && removes) {
            unlink(node);
            count--;
        } else if (node != null && !onlyNew) {
            node.value = value;
        }
        Intrinsics.endAtomic();
        return old;
    }

    /** Removes the node if there is no new value. */
    private boolean updateIf(Object key, Object expected, V value) {
        check(key);
        Intrinsics.beginAtomic();
        Node<K, V> node = find(key);
        await(node);
        boolean holds =
                node != null && (node.value == expected || expected.equals(node.value));
        if (holds && value == null) {
            unlink(node);
            count--;
        } else if (holds) {
            node.value = value;
        }
        Intrinsics.endAtomic();
        return holds;
    }

    private Node<K, V> claim(K key) {
        Intrinsics.beginAtomic();
        Node<K, V> node = find(key);
        await(node);
        if (node == null) {
            node = new Node<>(key, null, first);
            first = node;
        }
        node.computing = Intrinsics.currentThread();
        Intrinsics.endAtomic();
        return node;
    }

    private void settle(Node<K, V> node, V value) {
        Intrinsics.beginAtomic();
        if (node.value != null) {
            count--;
        }
        if (value == null) {
            unlink(node);
        } else {
            count++;
        }
        node.value = value;
        node.computing = null;
        Intrinsics.endAtomic();
    }

    private void unlink(Node<K, V> node) {
        if (first == node) {
            first = node.next;
            return;
        }
        Node<K, V> before = first;
        while (before.next != node) {
            before = before.next;
        }
        before.next = node.next;
    }

    /** An entry; without a value, it is only a place for one that is computed. */
    private static final class Node<K, V> {
        final K key;
        V value;
        Node<K, V> next;
        Thread computing;

        Node(K key, V value, Node<K, V> next) {
            this.key = key;
            this.value = value;
            this.next = next;
        }
    }
}
