package chronosketch.spark.warehouse

import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.spark.sql.classic
import org.apache.spark.sql.types.{DecimalType, StringType}

import chronosketch.Refusal
import chronosketch.spark.warehouse.manifest._

/** Tests every kind of store: one commit for each version, complete states, and dropped versions stay dropped. */
abstract class StoreSuite(kind: String, scheme: String, isOn: String, rounds: Int, writers: Int)
    extends WarehouseTests {
  protected val first: State =
    State.initial(Definition("id", "v", Seq("k"), None, ErrorLimits(0.01, 0.005), 3))

  // every field has an unusual value
  protected val whole: State = {
    val file = EntryFile("part-1", 10, 1234)
    val live =
      LiveBatch("b", 1, 3, Some((-5, Long.MinValue)), Seq(file, file.copy(name = "part-2")), Some(file))
    State(
      Definition("id", "v", Seq("k"), Some(Seq(StringType, DecimalType(18, 3))), ErrorLimits(0.01, 0.005), 3),
      version = 7,
      commit = "x",
      committedAt = -1,
      runs = Vector(Run("a", 2, -4, 7, 3, 0, Some((Long.MinValue, 5)), Seq(file), Some(file))),
      open = Some(OpenStep("s", Some(-17), Vector(live, LiveBatch("c", 0, 9, None, Nil, None)))),
      writers = Seq(WriterBatch("it's \"me\" – ✓", Long.MaxValue, -3)),
      streams = Seq(StreamBatch("q", Long.MaxValue))
    )
  }

  protected def storeTest(name: String)(body: String => Unit): Unit = test(name)(body(scheme + folder()))

  /** A new store each time, as in another process. */
  protected def store(path: String): ManifestStore =
    new ManifestStores(spark.asInstanceOf[classic.SparkSession], new HadoopPath(path)).ofKind(kind)

  storeTest("a store is empty at first, and then returns the committed state with every field") { path =>
    assertEquals(store(path).current(), None)
    assertEquals(store(path).storedStates(), Nil)
    assert(store(path).commit(first))
    assertEquals(store(path).current(), Some(first))
    val next = whole.copy(version = 1)
    assert(store(path).commit(next))
    assertEquals(store(path).current(), Some(next))
    assertEquals(store(path).storedStates(), Seq(next, first))
  }

  storeTest("a committed version never changes, even if its writer commits it again") { path =>
    assert(store(path).commit(first))
    assert(!store(path).commit(first.copy(commit = "another")))
    assert(!store(path).commit(first))
    assertEquals(store(path).storedStates(), Seq(first))
    val next = first.copy(version = 1)
    assert(store(path).commit(next))
    assert(!store(path).commit(first.copy(commit = "late")))
    assert(!store(path).commit(next.copy(commit = "another")))
    assertEquals(store(path).storedStates(), Seq(next, first))
  }

  storeTest("deleteBefore drops old versions, and keeps the newest") { path =>
    (0L to 3L).foreach(v => assert(store(path).commit(first.copy(version = v))))
    store(path).deleteBefore(2)
    assertEquals(store(path).storedStates().map(_.version), Seq(3L, 2L))
    assertEquals(store(path).current().map(_.version), Some(3L))
    // a dropped version cannot be committed again, and no version can be skipped
    Seq(0L, 1L, 3L, 5L).foreach(v => assert(!store(path).commit(first.copy(version = v, commit = "late")), v))
    assert(store(path).commit(first.copy(version = 4)))
    assertEquals(store(path).storedStates().map(_.version), Seq(4L, 3L, 2L))
  }

  storeTest("exactly one of several concurrent commits of a version wins") { path =>
    assert(store(path).commit(first))
    (1 to rounds).foreach { version =>
      val won = atOnce((1 to writers).map { i => () =>
        val mine = first.copy(version = version.toLong, commit = s"$version by $i")
        val isMine = store(path).commit(mine)
        // all writers see the same version, whichever won
        assertEquals(store(path).current().get.version, version.toLong)
        Option.when(isMine)(mine.commit)
      }).flatten
      assertEquals(won, Seq(store(path).current().get.commit))
    }
    assertEquals(store(path).storedStates().map(_.version), (0L to rounds.toLong).reverse)
  }

  storeTest("an update is applied to the newest state, and is repeated if another writer commits first") {
    path =>
      intercept[Refusal](store(path).update(Some(_)))
      assert(store(path).commit(first))
      val unchanged = store(path).update(_ => None)
      assertEquals((unchanged.before, unchanged.isCommitted), (first, false))
      val updates = atOnce((1 to writers).map { i => () =>
        store(path).update(state =>
          Some(state.copy(version = state.version + 1, commit = s"${state.commit} $i"))
        )
      })
      assert(updates.forall(update =>
        update.isCommitted && update.after.commit.startsWith(update.before.commit)
      ))
      assertEquals(updates.map(_.after.version).sorted, (1L to writers.toLong))
      assertEquals(store(path).newest, updates.map(_.after).maxBy(_.version))
  }

  storeTest("exactly one of several processes creates a warehouse") { path =>
    val made = atOnce((1 to writers).map { i => () =>
      val mine = first.copy(commit = s"by $i", definition = first.definition.copy(id = s"id of $i"))
      Option.when(store(path).commit(mine))(mine)
    }).flatten
    assertEquals(made, store(path).current().toSeq)
    assertEquals(made, store(path).storedStates())
  }

  storeTest("deleting old versions disturbs neither commits nor other processes that delete them") { path =>
    assert(store(path).commit(first))
    val committed = atOnce(
      Seq[() => Boolean](() =>
        (1 to rounds).forall(v => store(path).commit(first.copy(version = v.toLong)))
      ) ++
        Seq.fill(2)(() =>
          (1 to rounds).forall { _ =>
            store(path).current().foreach(now => store(path).deleteBefore(now.version))
            true
          }
        )
    )
    assertEquals(committed, Seq(true, true, true))
    assertEquals(store(path).current().map(_.version), Some(rounds.toLong))
    store(path).deleteBefore(rounds.toLong)
    assertEquals(store(path).storedStates().map(_.version), Seq(rounds.toLong))
  }

  storeTest("a warehouse works with this store") { path =>
    val w = Warehouse.create(spark, path, "v", Seq("k"), epsilon = 0.05, kappa = 1, store = kind)
    val rows = spark.range(3000).selectExpr("id * 7919 % 3001 AS v", "id % 2 AS k")
    (1 to 3).foreach(_ => w.append(rows))
    check(Warehouse.open(spark, path).quantile(phis), truth(rows.union(rows).union(rows), Seq("k"), "v"), 1)
    assertEquals(w.vacuum(-60000).size, 2)
    check(w.quantile(phis), truth(rows.union(rows).union(rows), Seq("k"), "v"), 1)
    assert(w.standsOn.contains(isOn), w.standsOn)
    // the kind of store is part of a warehouse's definition
    val other = Seq(ManifestStores.Files, ManifestStores.Delta).filterNot(_ == kind).head
    Seq(kind -> false, other -> true, other -> false).foreach { case (asked, ifNotExists) =>
      assertEquals(
        condition(Warehouse.create(spark, path, "v", Seq("k"), 0.05, 1, ifNotExists, asked)),
        "CHRONOSKETCH_WAREHOUSE_EXISTS"
      )
    }
    val again =
      Warehouse.create(spark, path, "v", Seq("k"), 0.05, kappa = 1, ifNotExists = true, store = kind)
    assertEquals(again.state, w.state)
  }
}
